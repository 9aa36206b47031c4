"""The words a user writes, read and checked, as terms that every route can compute."""
