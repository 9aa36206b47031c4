"""What is simulated: bodies that meet, and the experiment of tarao1999 in numbers."""
