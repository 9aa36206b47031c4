"""The implicit route: backward Euler at a fixed period, all contacts and frictions at once."""
