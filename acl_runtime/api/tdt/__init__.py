"""Transport of data: channels of tensors, and queues. Each chapter has a module."""
