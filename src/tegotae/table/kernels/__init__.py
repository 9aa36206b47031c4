"""Compiled parts of the motion table."""
