"""What remains of a run: the log, its report and its replay."""
