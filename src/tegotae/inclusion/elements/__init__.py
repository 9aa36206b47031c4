"""What makes contacts and frictions computable, and how the machine feels at them."""
