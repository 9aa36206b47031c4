"""Nodes as processes: how they start, find each other, end, and are watched."""
