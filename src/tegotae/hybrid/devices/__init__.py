"""What a table node drives: the interface of a table, its twins, and a device in a process of its own."""
