"""What a node's loop waits for: real and virtual ticks, and how punctual they were."""
