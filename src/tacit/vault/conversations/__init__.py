"""Sessions with agents: taken from transcripts, told again, and given back to the next one."""
