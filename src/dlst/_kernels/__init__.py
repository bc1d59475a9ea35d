"""Numeric hot spots: arrays in, arrays out, no estimators."""
