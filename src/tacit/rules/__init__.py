"""Rule files of coding agents: reading, auditing, importing and exporting them."""
