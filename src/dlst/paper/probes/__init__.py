"""Questions about data that this paper alone asks."""
