// The same with googletest: a fixture that resets the machine, and death tests in both styles.
#include <gtest/gtest.h>

#include <thread>

#include "aclnn_emulator.h"
#include "sample.h"

class Host : public testing::Test {
protected:
    void SetUp() override
    {
        aclnnEmulatorReset();
        ASSERT_EQ(begin(0, &stream), ACL_SUCCESS);
    }
    void TearDown() override
    {
        EXPECT_EQ(end(0, stream), ACL_SUCCESS);
        EXPECT_EQ(aclnnEmulatorFindings(nullptr), 0);
    }
    aclrtStream stream = nullptr;
};

using HostDeathTest = Host;

TEST_F(Host, CopiesThereAndBack)
{
    Tensor tensor;
    ASSERT_EQ(create<float>({1, 2, 3}, {3}, &tensor), ACL_SUCCESS);
    float values[3] = {};
    ASSERT_EQ(aclrtMemcpy(values, sizeof values, tensor.address, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    EXPECT_EQ(values[2], 3);
    EXPECT_EQ(release({&tensor}), ACL_SUCCESS);
}

TEST_F(Host, HandlesAFailedAllocation)
{
    ASSERT_EQ(aclnnEmulatorFail("aclrtMalloc", 1, ACL_ERROR_RT_MEMORY_ALLOCATION), 0);
    Tensor tensor;
    EXPECT_EQ(create<float>({1, 2, 3}, {3}, &tensor), ACL_ERROR_RT_MEMORY_ALLOCATION);
}

TEST_F(Host, TakesWhatIsFound)
{
    Tensor tensor;
    ASSERT_EQ(create<float>({1, 2, 3}, {3}, &tensor), ACL_SUCCESS);
    EXPECT_EQ(release({&tensor}), ACL_SUCCESS);
    aclDestroyTensor(tensor.handle);
    EXPECT_EQ(aclnnEmulatorTakeFindings("tensor-double-destroy"), 1);
}

TEST_F(HostDeathTest, ADeviceIsNotDereferenced)
{
    Tensor tensor;
    ASSERT_EQ(create<float>({1, 2, 3}, {3}, &tensor), ACL_SUCCESS);
    auto *values = static_cast<volatile float *>(tensor.address);
    testing::FLAGS_gtest_death_test_style = "fast";
    EXPECT_DEATH(values[1] = 2, "dereferenced 0x[0-9a-f]+");
    EXPECT_DEATH(values[1] = 2, "gtest_tests.cpp:[0-9]+");
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(values[1] = 2, "allocated at .*sample.h:[0-9]+");
    EXPECT_EQ(release({&tensor}), ACL_SUCCESS);
}

TEST_F(HostDeathTest, AChildExits)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(std::exit(3), testing::ExitedWithCode(3), "");
    testing::FLAGS_gtest_death_test_style = "fast";
    EXPECT_EXIT(std::exit(3), testing::ExitedWithCode(3), "");
}
