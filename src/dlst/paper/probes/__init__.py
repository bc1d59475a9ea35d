"""Probes of data for this paper alone."""
