"""What an agent is given: brief, context, and the text for a prompt."""
