"""The game record: SGF and the stream of events."""
