// Programs of the runtime, some with kernels of their own. Each returns 0.
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include "acl/acl.h"

#include <cstdint>
#include <cstdio>

#include "kernel_func/kernel_ops.h"

#define CHECK(call)                                                                              \
    do {                                                                                         \
        int result_ = static_cast<int>(call);                                                    \
        if (result_ != 0) {                                                                      \
            std::printf("[ERROR] %s returned error code %d\n", #call, result_);                  \
            const char *text = aclGetRecentErrMsg();                                             \
            std::printf("%s\n", text != nullptr ? text : "");                                    \
            return -1;                                                                           \
        }                                                                                        \
    } while (0)
#define INFO(...) (std::printf("[INFO]  " __VA_ARGS__), std::printf("\n"))

inline int begin()
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    return 0;
}

inline int end()
{
    CHECK(aclrtResetDeviceForce(0));
    CHECK(aclFinalize());
    return 0;
}

// memory of the device that holds one value
template <typename T>
struct OnDevice {
    T *address = nullptr;
    explicit OnDevice(T value)
    {
        aclrtMalloc(reinterpret_cast<void **>(&address), sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(address, sizeof(T), &value, sizeof(T), ACL_MEMCPY_HOST_TO_DEVICE);
    }
    ~OnDevice() { aclrtFree(address); }
    T value() const
    {
        T result{};
        aclrtMemcpy(&result, sizeof(T), address, sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST);
        return result;
    }
};

typedef int (*Program)(int argc, char **argv);
int system_info(int, char **);
int error_handling(int, char **);
int context_query(int, char **);
int reduce_task(int, char **);
int overflow_detection(int, char **);
int copy_between_hosts(int, char **);
int value_in_memory(int, char **);
int device_p2p(int, char **);
int stream_config_query(int, char **);
int vector_add(int, char **);
int device_multi_thread(int, char **);
int copy_to_device(int, char **);
int copy_to_device_async(int, char **);
int copy_to_host(int, char **);
int copy_to_host_async(int, char **);
int copy_on_device(int, char **);
int copy_on_device_async(int, char **);
int zero_copy(int, char **);
int simple_stream(int, char **);
int failure_mode(int, char **);
int multi_stream(int, char **);
int event_status(int, char **);
int event_timestamp(int, char **);
int callback_hostfunc(int, char **);
int report_callback(int, char **);
int exception_callback(int, char **);
int launch_simple(int, char **);
int launch_placeholder(int, char **);
int launch_with_reslimit(int, char **);
int simple_channel(int, char **);
int channel_capacity(int, char **);
int simple_queue(int, char **);
int queue_route(int, char **);
int runtime_compatibility(int, char **);
int random_numbers(int, char **);
int simple_label(int, char **);
int model_switch(int, char **);
int custom_allocator(int, char **);
int simple_model(int, char **);
int model_update(int, char **);
int hello_cann(int, char **);
int mstx_with_domain(int, char **);
int dumps(int, char **);
int profiling(int, char **);
int save_exception_info(int, char **);
int subscribe_model(int, char **);
int managed_memory(int, char **);
int cond_model(int, char **);
int model_sync_external(int, char **);
int physical_memory_sharing(int, char **);
int share_importer(int, char **);
int memory_by_key(int, char **);
int memory_importer(int, char **);
int notify_by_key(int, char **);
int notify_waiter(int, char **);
int symbol_copies(int, char **);
int launch_with_threads(int, char **);

#endif
