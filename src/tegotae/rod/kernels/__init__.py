"""Compiled parts of rods."""
