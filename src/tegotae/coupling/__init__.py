"""Wiring: admittances and impedances coupled implicitly, and the source of the loop that they become."""
