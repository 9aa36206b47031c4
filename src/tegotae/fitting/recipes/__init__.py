"""One recipe for each kind of block that can be identified. To add one: a file here, and a line in `recipe_for`."""
