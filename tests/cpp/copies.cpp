// Asynchronous copies with pinned memory, and computed addresses: halves of one buffer, rows of a matrix.
#include "sample.h"
#include "test_main.h"

TEST(pinned_memory_goes_to_the_device_and_back)
{
    aclrtStream stream = nullptr;
    EXPECT_EQ(begin(0, &stream), ACL_SUCCESS);
    const size_t count = 1024, bytes = count * sizeof(float);
    void *pinned = nullptr, *device = nullptr;
    EXPECT_EQ(aclrtMallocHost(&pinned, bytes), ACL_SUCCESS);
    EXPECT_EQ(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    float *host = static_cast<float *>(pinned);
    for (size_t place = 0; place < count; place++) host[place] = static_cast<float>(place);
    EXPECT_EQ(aclrtMemcpyAsync(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (size_t place = 0; place < count; place++) host[place] = -1;
    char *half = static_cast<char *>(device) + bytes / 2;
    EXPECT_EQ(aclrtMemcpyAsync(host, bytes, half, bytes / 2, ACL_MEMCPY_DEVICE_TO_HOST, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemcpyAsync(host + count / 2, bytes / 2, device, bytes / 2, ACL_MEMCPY_DEVICE_TO_HOST, stream), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    for (size_t place = 0; place < count; place++)
        EXPECT_EQ(host[place], static_cast<float>((place + count / 2) % count));
    EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(pinned), ACL_SUCCESS);
    EXPECT_EQ(end(0, stream), ACL_SUCCESS);
}

TEST(a_copy_past_the_end_writes_nothing_there)
{
    aclrtStream stream = nullptr;
    EXPECT_EQ(begin(0, &stream), ACL_SUCCESS);
    std::vector<char> host(128, 'x');
    void *device = nullptr;
    EXPECT_EQ(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    EXPECT(aclrtMemcpy(device, 64, host.data(), 128, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS);
    EXPECT_EQ(aclnnEmulatorFindings(nullptr), 0);
    aclrtMemcpy(static_cast<char *>(device) + 32, 64, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE);
    EXPECT_EQ(aclnnEmulatorTakeFindings("memcpy-size"), 1);
    EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
    EXPECT_EQ(end(0, stream), ACL_SUCCESS);
}

TEST(the_wrong_kind_of_a_copy_is_reported)
{
    aclrtStream stream = nullptr;
    EXPECT_EQ(begin(0, &stream), ACL_SUCCESS);
    char host[64] = {};
    void *device = nullptr;
    EXPECT_EQ(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    aclrtMemcpy(device, 64, host, 64, ACL_MEMCPY_DEVICE_TO_HOST);
    EXPECT_EQ(aclnnEmulatorTakeFindings("memcpy-kind"), 1);
    EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
    EXPECT_EQ(end(0, stream), ACL_SUCCESS);
}
