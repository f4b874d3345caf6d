"""The MCP server: what an agent may ask of memory and tell it, over stdio. It proposes; only a person decides."""
