"""Kernels of the controllers, in letters."""
