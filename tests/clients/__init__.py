"""Real coding agents, run offline against a stub of their model APIs, with the hooks that `tacit install` puts in."""
