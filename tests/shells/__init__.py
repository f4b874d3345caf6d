"""Real shells in real terminals: what they run is captured, and they are left as they were."""
