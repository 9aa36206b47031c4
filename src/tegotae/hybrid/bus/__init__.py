"""What nodes say beside the fast link: discovery, parameters, rows, events, status."""
