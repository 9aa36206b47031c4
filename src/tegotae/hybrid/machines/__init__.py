"""What a hybrid loop simulates: any admittance with a six-dimensional port, under the guard."""
