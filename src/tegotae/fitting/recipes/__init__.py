"""One recipe for each kind of block that can be identified. One more: a file here, a line in `identify.recipe_for`."""
