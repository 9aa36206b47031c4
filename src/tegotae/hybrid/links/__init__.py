"""The fast link between two nodes: signed packets, the newest wins, nothing waits."""
