"""Numbers out of text and back, as every text format needs them."""
