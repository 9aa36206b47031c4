"""What the commands of `tegotae` do; `tegotae.cli` says how they are called."""
