"""Data that are drawn: whole sets with a known label space, features for real labels."""

from dlst.data.simulation.features import simulate_features, with_simulated_features
from dlst.data.simulation.label_space import make_label_space

__all__ = ["make_label_space", "simulate_features", "with_simulated_features"]
