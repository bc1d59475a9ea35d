"""Numbers from text and back, for all text formats."""
