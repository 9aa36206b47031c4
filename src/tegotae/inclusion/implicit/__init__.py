"""The implicit route: a fixed period, all contacts and frictions at once."""
