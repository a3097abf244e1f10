"""What ran on this process's devices, and when."""
