"""Compiled kernels of the plainest blocks."""
