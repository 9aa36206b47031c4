"""Compiled parts of the hybrid simulation."""
