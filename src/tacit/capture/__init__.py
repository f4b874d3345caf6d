"""World to events: what shells and agents leave behind, read into observations."""
