"""PyTorch's plugin torch_npu, as PyPI has it, beside a torch without CUDA."""
