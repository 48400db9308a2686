// Streams and events: one stream waits for another, queries say what is done, and an elapsed time is measured.
#include "sample.h"
#include "test_main.h"

TEST(a_stream_waits_for_the_event_of_another)
{
    aclrtStream first = nullptr, second = nullptr;
    aclrtEvent copied = nullptr;
    EXPECT_EQ(begin(0, &first), ACL_SUCCESS);
    EXPECT_EQ(aclrtCreateStream(&second), ACL_SUCCESS);
    EXPECT_EQ(aclrtCreateEventWithFlag(&copied, ACL_EVENT_SYNC), ACL_SUCCESS);
    void *from = nullptr, *over = nullptr;
    EXPECT_EQ(aclrtMalloc(&from, 256, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    EXPECT_EQ(aclrtMalloc(&over, 256, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemsetAsync(from, 256, 7, 256, first), ACL_SUCCESS);
    EXPECT_EQ(aclrtRecordEvent(copied, first), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamWaitEvent(second, copied), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemcpyAsync(over, 256, from, 256, ACL_MEMCPY_DEVICE_TO_DEVICE, second), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(second), ACL_SUCCESS);
    unsigned char bytes[256] = {};
    EXPECT_EQ(aclrtMemcpy(bytes, 256, over, 256, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    for (const unsigned char byte : bytes) EXPECT_EQ(static_cast<int>(byte), 7);
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    EXPECT_EQ(aclrtQueryEventStatus(copied, &status), ACL_SUCCESS);
    EXPECT_EQ(static_cast<int>(status), static_cast<int>(ACL_EVENT_RECORDED_STATUS_COMPLETE));
    aclrtStreamStatus idle = ACL_STREAM_STATUS_NOT_READY;
    EXPECT_EQ(aclrtStreamQuery(first, &idle), ACL_SUCCESS);
    EXPECT_EQ(static_cast<int>(idle), static_cast<int>(ACL_STREAM_STATUS_COMPLETE));
    EXPECT_EQ(aclrtFree(from), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(over), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyEvent(copied), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(second), ACL_SUCCESS);
    EXPECT_EQ(end(0, first), ACL_SUCCESS);
}

TEST(a_missing_wait_is_found)
{
    aclrtStream first = nullptr, second = nullptr;
    EXPECT_EQ(begin(0, &first), ACL_SUCCESS);
    EXPECT_EQ(aclrtCreateStream(&second), ACL_SUCCESS);
    void *bytes = nullptr;
    EXPECT_EQ(aclrtMalloc(&bytes, 256, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemsetAsync(bytes, 256, 7, 256, first), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemsetAsync(bytes, 256, 8, 256, second), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(first), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(second), ACL_SUCCESS);
    EXPECT_EQ(aclnnEmulatorFindings("xstream-race"), 1);
    EXPECT_TEXT(aclnnEmulatorFindingText(0), "streams_and_events.cpp:");
    EXPECT_EQ(aclnnEmulatorTakeFindings("xstream-race"), 1);
    EXPECT_EQ(aclrtFree(bytes), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(second), ACL_SUCCESS);
    EXPECT_EQ(end(0, first), ACL_SUCCESS);
}

TEST(an_elapsed_time_is_positive)
{
    aclrtStream stream = nullptr;
    aclrtEvent before = nullptr, behind = nullptr;
    EXPECT_EQ(begin(0, &stream), ACL_SUCCESS);
    for (aclrtEvent *each : {&before, &behind}) EXPECT_EQ(aclrtCreateEventWithFlag(each, ACL_EVENT_TIME_LINE), 0);
    void *bytes = nullptr;
    EXPECT_EQ(aclrtMalloc(&bytes, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    EXPECT_EQ(aclrtRecordEvent(before, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemsetAsync(bytes, 1 << 20, 0, 1 << 20, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtRecordEvent(behind, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeEvent(behind), ACL_SUCCESS);
    float milliseconds = -1;
    EXPECT_EQ(aclrtEventElapsedTime(&milliseconds, before, behind), ACL_SUCCESS);
    EXPECT(milliseconds > 0);
    EXPECT_EQ(aclrtFree(bytes), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyEvent(before), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyEvent(behind), ACL_SUCCESS);
    EXPECT_EQ(end(0, stream), ACL_SUCCESS);
}
