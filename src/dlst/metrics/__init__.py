"""Truth and scores to numbers."""
