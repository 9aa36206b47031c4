"""Compiled code of the inclusion compiler, in the papers' letters."""
