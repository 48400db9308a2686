# Sample projects include this file. It defines nothing: this toolkit builds host programs, and compiles no kernels of
# your own for a device. A project that calls ascendc_library() or ascendc_fatbin_library() stops there.
