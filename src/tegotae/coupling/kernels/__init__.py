"""Kernels of coupled steps."""
