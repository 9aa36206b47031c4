"""Compiled steps of tyres and steering, in the letters of the papers."""
