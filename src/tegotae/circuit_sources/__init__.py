"""The source of a circuit's loop: along one coordinate, or in n dimensions."""
