// programs NAME ARGUMENT...: run one of the programs
#include "programs.h"

#include <cstring>

static const struct {
    const char *name;
    Program program;
} PROGRAMS[] = {
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
};

int main(int argc, char **argv)
{
    for (const auto &each : PROGRAMS) {
        if (argc > 1 && std::strcmp(each.name, argv[1]) == 0) {
            return each.program(argc - 1, argv + 1);
        }
    }
    std::printf("no such program\n");
    return 2;
}
