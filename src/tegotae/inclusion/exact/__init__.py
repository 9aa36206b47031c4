"""The exact route: the set-valued laws themselves, from event to event."""
