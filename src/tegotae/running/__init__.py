"""Running a block, whatever it is made of: over a record, tick by tick, or many at once."""
