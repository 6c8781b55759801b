"""The code that lesson 25 stands on: its Triton kernels, how they are measured, and its lab."""
