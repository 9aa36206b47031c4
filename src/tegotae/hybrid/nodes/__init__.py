"""The nodes themselves, made from settings, and all of them in lockstep."""
