"""What the bench compares with, written by hand."""
