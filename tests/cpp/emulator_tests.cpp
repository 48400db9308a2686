// Tests of host code with aclnn_emulator.h: reset, options, faults; allow, count, read and take findings.
#include "sample.h"
#include "test_main.h"

static void *allocated(size_t bytes)
{
    void *address = nullptr;
    EXPECT_EQ(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    return address;
}

static void start()
{
    EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
}

static void stop()
{
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST(a_reset_forgets_the_device)
{
    start();
    stop();
    start();
    EXPECT_EQ(aclnnEmulatorReset(), 1);
    int32_t device = 7;
    EXPECT_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclnnEmulatorFindings("device-not-reset"), 0);
}

TEST(a_reset_makes_old_pointers_and_handles_invalid)
{
    start();
    void *address = allocated(64);
    aclrtStream stream = nullptr;
    EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    EXPECT_EQ(aclnnEmulatorReset(), 3);  // memory, stream and device are left
    start();
    EXPECT(aclrtFree(address) != ACL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
    stop();
    aclnnEmulatorTakeFindings(nullptr);
}

TEST(an_option_is_for_the_machines_to_come)
{
    start();
    EXPECT_EQ(aclnnEmulatorSetOption("soc", "Ascend310P3"), 0);
    EXPECT(std::string(aclrtGetSocName()) != "Ascend310P3");
    stop();
    aclnnEmulatorReset();
    start();
    EXPECT_EQ(std::string(aclrtGetSocName()), std::string("Ascend310P3"));
    stop();
    EXPECT_EQ(aclnnEmulatorSetOption("soc", nullptr), 0);
    aclnnEmulatorReset();
    start();
    EXPECT(std::string(aclrtGetSocName()) != "Ascend310P3");
    stop();
}

TEST(an_option_that_is_none_is_refused)
{
    EXPECT_EQ(aclnnEmulatorSetOption("socc", "Ascend310P3"), -1);
    EXPECT_EQ(aclnnEmulatorSetOption("device_count", "many"), -1);
    EXPECT_EQ(aclnnEmulatorSetOption("device_count", "-1"), -1);
    EXPECT_EQ(aclnnEmulatorSetOption("soc", "Ascend1"), -1);
    EXPECT_EQ(aclnnEmulatorSetOption("on_undefined", "ignore"), -1);
    EXPECT_EQ(aclnnEmulatorSetOption("schedule", "never"), -1);
    EXPECT_EQ(aclnnEmulatorSetOption("socc", nullptr), -1);
    EXPECT_EQ(aclnnEmulatorSetOption(nullptr, nullptr), -1);
    EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST(a_fault_comes_at_the_asked_call_only)
{
    start();
    EXPECT_EQ(aclnnEmulatorFail("aclrtMalloc", 2, ACL_ERROR_RT_MEMORY_ALLOCATION), 0);
    void *first = allocated(64), *second = nullptr;
    EXPECT_EQ(aclrtMalloc(&second, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    EXPECT(second == nullptr);
    second = allocated(64);
    EXPECT_EQ(aclrtFree(first), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(second), ACL_SUCCESS);
    stop();
}

TEST(a_fault_of_what_is_no_function_or_no_status_of_it_is_refused)
{
    EXPECT_EQ(aclnnEmulatorFail("aclrtMallok", 1, 0), -1);
    EXPECT_EQ(aclnnEmulatorFail("aclrtMalloc", 1, 12345), -1);
    EXPECT_EQ(aclnnEmulatorFail(nullptr, 1, 0), -1);
    EXPECT_EQ(aclnnEmulatorFail("aclrtMalloc", 0, 0), -1);
}

TEST(a_finding_is_counted_read_and_taken)
{
    start();
    aclrtStream stream = nullptr;
    EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    Tensor tensor;
    EXPECT_EQ(create<float>({1, 2, 3, 4}, {4}, &tensor), ACL_SUCCESS);
    EXPECT_EQ(aclDestroyTensor(tensor.handle), ACL_SUCCESS);
    EXPECT_EQ(aclnnEmulatorFindings(nullptr), 0);
    EXPECT(aclnnEmulatorFindingText(0) == nullptr);
    EXPECT(aclDestroyTensor(tensor.handle) != ACL_SUCCESS);
    EXPECT_EQ(aclnnEmulatorFindings(nullptr), 1);
    EXPECT_EQ(aclnnEmulatorFindings("tensor-double-destroy"), 1);
    EXPECT_EQ(aclnnEmulatorFindings("mem-leaked"), 0);
    EXPECT_TEXT(aclnnEmulatorFindingText(0), "emulator_tests.cpp:");
    EXPECT_EQ(aclnnEmulatorTakeFindings("mem-leaked"), 0);
    EXPECT_EQ(aclnnEmulatorTakeFindings("tensor-double-destroy"), 1);
    EXPECT_EQ(aclnnEmulatorFindings(nullptr), 0);
    EXPECT_EQ(aclrtFree(tensor.address), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    stop();
}

TEST(what_is_allowed_is_not_counted)
{
    start();
    EXPECT_EQ(aclnnEmulatorAllow("mem-leaked", "the cache lives as long as the program"), 0);
    EXPECT_EQ(aclnnEmulatorAllow("mem-leaked", nullptr), -1);
    EXPECT_EQ(aclnnEmulatorAllow("mem-leakt", "a wrong name"), -1);
    allocated(64);
    stop();
    EXPECT_EQ(aclnnEmulatorReset(), 0);
}

TEST(a_host_dereference_kills_a_child_with_an_explanation)
{
    start();
    auto *address = static_cast<volatile float *>(allocated(64));
    EXPECT_DEATH(address[3] = 1, "dereferenced");
    EXPECT_DEATH(address[3] = 1, "emulator_tests.cpp:");
    EXPECT_DEATH(address[3] = 1, "allocated at");
    EXPECT_EQ(aclrtFree(const_cast<float *>(address)), ACL_SUCCESS);
    stop();
}

TEST(a_forked_child_gets_no_success_and_its_parent_goes_on)
{
    start();
    EXPECT_DEATH(_exit(aclrtSynchronizeDevice() == ACL_SUCCESS ? 0 : 3), "fork-after-init");
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
    stop();
}
