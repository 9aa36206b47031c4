"""Compiled kernels of the friction package, in the letters of the papers."""
