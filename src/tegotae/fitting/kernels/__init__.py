"""Compiled models that only identification needs."""
