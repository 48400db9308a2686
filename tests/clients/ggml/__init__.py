"""ggml's CANN backend, as llama.cpp has it. Its source comes with the source package of llama-cpp-python (MIT)."""
