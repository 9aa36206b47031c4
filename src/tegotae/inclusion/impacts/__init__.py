"""What an impact is, in the rigid law: which contacts press, which frictions hold, and what speeds are left."""
