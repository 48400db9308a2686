// Functions of the host that a stream runs: in order with its tasks, or by the thread that processes its reports.
#include <atomic>
#include <pthread.h>
#include <thread>

#include "sample.h"
#include "test_main.h"

static std::atomic<int> calls(0), failed(0);
static std::thread::id runner;

static void count(void *by)
{
    calls += *static_cast<int *>(by);
    runner = std::this_thread::get_id();
}

static void on_exception(aclrtExceptionInfo *info)
{
    failed = static_cast<int>(aclrtGetErrorCodeFromExceptionInfo(info));
}

TEST(a_host_function_runs_between_the_tasks_of_its_stream)
{
    aclrtStream stream = nullptr;
    EXPECT_EQ(begin(0, &stream), ACL_SUCCESS);
    int one = 1, ten = 10;
    calls = 0;
    EXPECT_EQ(aclrtLaunchHostFunc(stream, count, &one), ACL_SUCCESS);
    EXPECT_EQ(aclrtLaunchHostFunc(stream, count, &ten), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(calls.load(), 11);
    EXPECT_EQ(end(0, stream), ACL_SUCCESS);
}

TEST(a_callback_runs_in_the_thread_that_processes_reports)
{
    aclrtStream stream = nullptr;
    EXPECT_EQ(begin(0, &stream), ACL_SUCCESS);
    aclrtContext context = nullptr;
    EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
    int one = 1;
    calls = 0;
    std::atomic<bool> subscribed(false);
    std::atomic<uint64_t> id(0);
    std::thread reports([&] {
        EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
        id = static_cast<uint64_t>(pthread_self());
        while (!subscribed) std::this_thread::yield();
        aclError status = ACL_SUCCESS;
        while (calls == 0 && (status == ACL_SUCCESS || status == ACL_ERROR_RT_REPORT_TIMEOUT))
            status = aclrtProcessReport(100);
    });
    const std::thread::id there = reports.get_id();
    while (id == 0) std::this_thread::yield();
    EXPECT_EQ(aclrtSubscribeReport(id, stream), ACL_SUCCESS);
    subscribed = true;
    EXPECT_EQ(aclrtLaunchCallback(count, &one, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    reports.join();
    EXPECT_EQ(calls.load(), 1);
    EXPECT(runner == there);
    EXPECT_EQ(aclrtUnSubscribeReport(id, stream), ACL_SUCCESS);
    EXPECT_EQ(end(0, stream), ACL_SUCCESS);
}

TEST(a_call_in_a_callback_is_refused)
{
    aclrtStream stream = nullptr;
    EXPECT_EQ(begin(0, &stream), ACL_SUCCESS);
    static aclError status;
    status = ACL_SUCCESS;
    EXPECT_EQ(aclrtLaunchHostFunc(stream, [](void *) { status = aclrtSynchronizeDevice(); }, nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT(status != ACL_SUCCESS);
    EXPECT_EQ(aclnnEmulatorTakeFindings("callback-acl"), 1);
    EXPECT_EQ(end(0, stream), ACL_SUCCESS);
}

TEST(the_exception_callback_gets_a_task_that_failed)
{
    aclrtStream stream = nullptr;
    EXPECT_EQ(begin(0, &stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSetExceptionInfoCallback(on_exception), ACL_SUCCESS);
    aclrtEvent never = nullptr;
    EXPECT_EQ(aclrtCreateEventWithFlag(&never, ACL_EVENT_SYNC), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamWaitEventWithTimeout(stream, never, 1), ACL_SUCCESS);
    const aclError status = aclrtSynchronizeStream(stream);
    EXPECT(status != ACL_SUCCESS);
    EXPECT_EQ(failed.load(), status);
    EXPECT_EQ(aclrtSetExceptionInfoCallback(nullptr), ACL_SUCCESS);
    aclnnEmulatorTakeFindings("event-misuse");
    EXPECT_EQ(aclrtDestroyEvent(never), ACL_SUCCESS);
    EXPECT_EQ(end(0, stream), ACL_SUCCESS);
}
