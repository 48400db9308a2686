// Streams, events, callbacks and failures around kernels.
#include "programs.h"

#include <atomic>
#include <thread>

int simple_stream(int, char **)
{
    CHECK(begin());
    {
        OnDevice<uint32_t> x(0);
        aclrtStream stream = nullptr;
        aclrtStreamStatus state = ACL_STREAM_STATUS_RESERVED;
        EasyOP(1, nullptr, x.address);
        CHECK(aclrtSynchronizeStream(nullptr));
        INFO("default stream: %u", x.value());
        CHECK(aclrtCreateStream(&stream));
        EasyOP(1, stream, x.address);
        CHECK(aclrtSynchronizeStream(stream));
        INFO("created stream: %u", x.value());
        for (int i = 0; i < 3000; ++i) {
            EasyOP(1, stream, x.address);
        }
        CHECK(aclrtSynchronizeStreamWithTimeout(stream, 60000));
        CHECK(aclrtStreamQuery(stream, &state));
        INFO("stream query: %d", static_cast<int>(state));
        INFO("after 3000 launches: %u", x.value());
        CHECK(aclrtDestroyStream(stream));
    }
    return end();
}

static int fails_between(aclrtStream stream, uint32_t *x)
{
    EasyOP(1, stream, x);
    ErrorOP(1, stream);
    EasyOP(1, stream, x);
    return aclrtSynchronizeStream(stream);
}

static void on_state(aclrtStream, aclrtStreamState state, void *) { INFO("state of a stream: %d", static_cast<int>(state)); }

// A long kernel is stopped in one stream, and aborted in another.
static int stop_and_abort()
{
    for (auto ends : {aclrtStreamStop, aclrtStreamAbort}) {
        OnDevice<uint32_t> x(0);
        aclrtStream stream = nullptr;
        const uint32_t flag = ends == aclrtStreamStop ? ACL_STREAM_DEVICE_USE_ONLY : ACL_STREAM_FAST_LAUNCH;
        CHECK(aclrtRegStreamStateCallback("failure_mode", on_state, nullptr));
        CHECK(aclrtCreateStreamWithConfig(&stream, 0, flag));
        LongOP(1, stream, x.address);
        INFO("end: %d", ends(stream));
        CHECK(aclrtDestroyStreamForce(stream));
        CHECK(aclrtRegStreamStateCallback("failure_mode", nullptr, nullptr));
    }
    return 0;
}

int failure_mode(int, char **)
{
    CHECK(begin());
    for (bool stops : {false, true}) {
        OnDevice<uint32_t> x(0);
        aclrtContext context = nullptr;
        aclrtStream stream = nullptr;
        CHECK(aclrtCreateContext(&context, 0));
        CHECK(aclrtCreateStream(&stream));
        if (stops) {
            CHECK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
        }
        INFO("synchronize: %d", fails_between(stream, x.address));
        aclGetRecentErrMsg();
        INFO("value: %u", x.value());
        CHECK(aclrtDestroyStreamForce(stream));
        CHECK(aclrtDestroyContext(context));
        CHECK(aclrtSetDevice(0));
    }
    CHECK(stop_and_abort());
    CHECK(aclrtResetDevice(0));
    CHECK(aclrtResetDevice(0));
    return end();
}

// +1 by a long kernel, then *2 by a short one in another stream, ordered by a notify.
static int ordered_by_notify()
{
    OnDevice<uint32_t> x(0);
    aclrtStream first = nullptr, second = nullptr;
    aclrtNotify notify = nullptr;
    CHECK(aclrtCreateStream(&first));
    CHECK(aclrtCreateStream(&second));
    CHECK(aclrtCreateNotify(&notify, 0));
    LongOP(1, first, x.address);
    CHECK(aclrtRecordNotify(notify, first));
    CHECK(aclrtWaitAndResetNotify(notify, second, 0));
    ShortOP(1, second, x.address);
    CHECK(aclrtSynchronizeStream(second));
    INFO("ordered by a notify: %u", x.value());
    CHECK(aclrtDestroyNotify(notify));
    CHECK(aclrtDestroyStreamForce(first));
    CHECK(aclrtDestroyStreamForce(second));
    return 0;
}

// The same ordered by a synchronize and by an event, each with a wait that is too short for another long kernel.
int multi_stream(int, char **)
{
    CHECK(begin());
    for (bool by_event : {false, true}) {
        OnDevice<uint32_t> x(0);
        aclrtStream first = nullptr, second = nullptr;
        aclrtEvent event = nullptr;
        CHECK(aclrtCreateStream(&first));
        CHECK(aclrtCreateStream(&second));
        CHECK(aclrtCreateEvent(&event));
        LongOP(1, first, x.address);
        if (by_event) {
            CHECK(aclrtRecordEvent(event, first));
            CHECK(aclrtStreamWaitEvent(second, event));
        } else {
            CHECK(aclrtSynchronizeStream(first));
        }
        ShortOP(1, second, x.address);
        CHECK(aclrtSynchronizeStream(second));
        INFO("ordered by %s: %u", by_event ? "an event" : "a synchronize", x.value());
        LongOP(1, first, x.address);
        CHECK(aclrtRecordEvent(event, first));
        int status = by_event ? aclrtSynchronizeEventWithTimeout(event, 1000) : aclrtSynchronizeStreamWithTimeout(first, 1000);
        INFO("a wait of 1000 ms: %d", status);
        aclGetRecentErrMsg();
        CHECK(aclrtSynchronizeStream(first));
        CHECK(aclrtDestroyEvent(event));
        CHECK(aclrtDestroyStreamForce(first));
        CHECK(aclrtDestroyStreamForce(second));
    }
    CHECK(ordered_by_notify());
    return end();
}

int event_status(int, char **)
{
    CHECK(begin());
    {
        OnDevice<uint32_t> x(0);
        aclrtStream stream = nullptr;
        aclrtEvent event = nullptr;
        aclrtEventRecordedStatus state = ACL_EVENT_RECORDED_STATUS_COMPLETE;
        CHECK(aclrtCreateStream(&stream));
        CHECK(aclrtCreateEvent(&event));
        CHECK(aclrtQueryEventStatus(event, &state));
        INFO("after create: %d", static_cast<int>(state));
        LongOP(1, stream, x.address);
        CHECK(aclrtRecordEvent(event, stream));
        CHECK(aclrtQueryEventStatus(event, &state));
        INFO("after record: %d", static_cast<int>(state));
        CHECK(aclrtSynchronizeEvent(event));
        CHECK(aclrtQueryEventStatus(event, &state));
        INFO("after synchronize: %d", static_cast<int>(state));
        INFO("value: %u", x.value());
        CHECK(aclrtDestroyEvent(event));
        CHECK(aclrtDestroyStreamForce(stream));
    }
    return end();
}

int event_timestamp(int, char **)
{
    CHECK(begin());
    {
        OnDevice<uint32_t> x(0);
        aclrtStream stream = nullptr;
        aclrtEvent start = nullptr, stop = nullptr;
        uint64_t first = 0, last = 0;
        float elapsed = 0;
        CHECK(aclrtCreateStream(&stream));
        CHECK(aclrtCreateEventWithFlag(&start, ACL_EVENT_TIME_LINE));
        CHECK(aclrtCreateEventWithFlag(&stop, ACL_EVENT_TIME_LINE));
        ShortOP(1, stream, x.address);
        CHECK(aclrtRecordEvent(start, stream));
        CHECK(aclrtSynchronizeStream(stream));
        INFO("value: %u", x.value());
        LongOP(1, stream, x.address);
        CHECK(aclrtRecordEvent(stop, stream));
        CHECK(aclrtSynchronizeStream(stream));
        INFO("value: %u", x.value());
        CHECK(aclrtEventGetTimestamp(start, &first));
        CHECK(aclrtEventGetTimestamp(stop, &last));
        CHECK(aclrtEventElapsedTime(&elapsed, start, stop));
        INFO("later: %d, elapsed: %.0f ms", last > first, elapsed);
        CHECK(aclrtDestroyEvent(start));
        CHECK(aclrtDestroyEvent(stop));
        CHECK(aclrtDestroyStream(stream));
    }
    return end();
}

static void host_function(void *data) { INFO("host function: %d", *static_cast<int *>(data)); }

int callback_hostfunc(int, char **)
{
    CHECK(begin());
    {
        OnDevice<uint32_t> x(0);
        aclrtStream stream = nullptr;
        int data = 520;
        CHECK(aclrtCreateStream(&stream));
        EasyOP(1, stream, x.address);
        CHECK(aclrtLaunchHostFunc(stream, host_function, &data));
        CHECK(aclrtSynchronizeStream(stream));
        INFO("value: %u", x.value());
        CHECK(aclrtDestroyStream(stream));
    }
    return end();
}

// The report thread; threads that process host functions do not exist in the library.
int report_callback(int, char **)
{
    CHECK(begin());
    {
        OnDevice<uint32_t> x(0);
        aclrtContext context = nullptr;
        aclrtStream stream = nullptr;
        int data = 520;
        std::atomic<bool> goes_on{true};
        CHECK(aclrtGetCurrentContext(&context));
        CHECK(aclrtCreateStream(&stream));
        std::thread reports([&] {
            aclrtSetCurrentContext(context);
            while (goes_on) {
                aclrtProcessReport(10);
            }
        });
        const uint64_t id = static_cast<uint64_t>(reports.native_handle());
        CHECK(aclrtSubscribeReport(id, stream));
        CHECK(aclrtLaunchCallback(host_function, &data, ACL_CALLBACK_BLOCK, stream));
        LongOP(1, stream, x.address);
        for (int i = 0; i < 5; ++i) {
            CHECK(aclrtLaunchCallback(host_function, &data, ACL_CALLBACK_BLOCK, stream));
        }
        CHECK(aclrtSynchronizeStream(stream));
        INFO("value: %u", x.value());
        CHECK(aclrtUnSubscribeReport(id, stream));
        goes_on = false;
        reports.join();
        CHECK(aclrtDestroyStream(stream));
    }
    return end();
}

static void on_exception(aclrtExceptionInfo *info)
{
    aclrtFuncHandle function = nullptr;
    void *arguments = nullptr;
    uint32_t size = 1;
    char name[16] = "";
    INFO("arguments: %d, kernel: %d", aclrtGetArgsFromExceptionInfo(info, &arguments, &size),
         aclrtGetFuncHandleFromExceptionInfo(info, &function));
    aclrtGetFunctionName(function, sizeof(name), name);
    INFO("%u bytes of %s", size, name);
    INFO("exception: task %u, stream %u, device %u, error code %u", aclrtGetTaskIdFromExceptionInfo(info),
         aclrtGetStreamIdFromExceptionInfo(info) != 0xFFFFFFFF, aclrtGetDeviceIdFromExceptionInfo(info),
         aclrtGetErrorCodeFromExceptionInfo(info));
}

int exception_callback(int, char **)
{
    CHECK(begin());
    {
        OnDevice<uint32_t> x(0);
        aclrtStream stream = nullptr;
        uint32_t last = 0;
        CHECK(aclrtSetExceptionInfoCallback(on_exception));
        CHECK(aclrtCreateStream(&stream));
        EasyOP(1, stream, x.address);
        ErrorOP(1, stream);
        CHECK(aclrtGetThreadLastTaskId(&last));
        INFO("last task: %u", last);
        INFO("synchronize: %d", aclrtSynchronizeStream(stream));
        INFO("last error: %d", aclrtGetLastError(ACL_RT_THREAD_LEVEL));
        INFO("message: %d", aclGetRecentErrMsg() != nullptr);
        CHECK(aclrtSetExceptionInfoCallback(nullptr));
        CHECK(aclrtDestroyStreamForce(stream));
    }
    return end();
}
