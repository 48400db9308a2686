// programs FOLDER NAME...: run these programs one after the other; FOLDER has the binaries of kernels
#include "programs.h"

#include <cstring>

static const struct {
    const char *name;
    Program program;
} PROGRAMS[] = {
    {"system_info", system_info},
    {"error_handling", error_handling},
    {"context_query", context_query},
    {"reduce_task", reduce_task},
    {"overflow_detection", overflow_detection},
    {"copy_between_hosts", copy_between_hosts},
    {"value_in_memory", value_in_memory},
    {"device_p2p", device_p2p},
    {"stream_config_query", stream_config_query},
    {"vector_add", vector_add},
    {"device_multi_thread", device_multi_thread},
    {"copy_to_device", copy_to_device},
    {"copy_to_device_async", copy_to_device_async},
    {"copy_to_host", copy_to_host},
    {"copy_to_host_async", copy_to_host_async},
    {"copy_on_device", copy_on_device},
    {"copy_on_device_async", copy_on_device_async},
    {"zero_copy", zero_copy},
    {"simple_stream", simple_stream},
    {"failure_mode", failure_mode},
    {"multi_stream", multi_stream},
    {"event_status", event_status},
    {"event_timestamp", event_timestamp},
    {"callback_hostfunc", callback_hostfunc},
    {"report_callback", report_callback},
    {"exception_callback", exception_callback},
    {"launch_simple", launch_simple},
    {"launch_placeholder", launch_placeholder},
    {"launch_with_reslimit", launch_with_reslimit},
    {"simple_channel", simple_channel},
    {"channel_capacity", channel_capacity},
    {"simple_queue", simple_queue},
    {"queue_route", queue_route},
    {"runtime_compatibility", runtime_compatibility},
    {"random_numbers", random_numbers},
    {"simple_label", simple_label},
    {"model_switch", model_switch},
    {"custom_allocator", custom_allocator},
    {"simple_model", simple_model},
    {"model_update", model_update},
    {"hello_cann", hello_cann},
    {"mstx_with_domain", mstx_with_domain},
    {"dumps", dumps},
    {"profiling", profiling},
    {"save_exception_info", save_exception_info},
    {"subscribe_model", subscribe_model},
    {"managed_memory", managed_memory},
    {"cond_model", cond_model},
    {"model_sync_external", model_sync_external},
    {"physical_memory_sharing", physical_memory_sharing},
    {"share_importer", share_importer},
    {"memory_by_key", memory_by_key},
    {"memory_importer", memory_importer},
    {"notify_by_key", notify_by_key},
    {"notify_waiter", notify_waiter},
    {"symbol_copies", symbol_copies},
    {"launch_with_threads", launch_with_threads},
};

static int run(const char *name, char **argv)
{
    for (const auto &each : PROGRAMS) {
        if (std::strcmp(each.name, name) == 0) {
            return each.program(2, argv);
        }
    }
    std::printf("no such program\n");
    return 2;
}

int main(int argc, char **argv)
{
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // two processes print to one pipe
    int status = argc > 2 ? 0 : 2;
    for (int i = 2; i < argc && status == 0; ++i) {
        status = run(argv[i], argv);
    }
    return status;
}
