"""The MCP server, asked by the official client library and by hand."""
