"""What stands between a command and a table: limits, watchdog, latch, and the force sensor."""
