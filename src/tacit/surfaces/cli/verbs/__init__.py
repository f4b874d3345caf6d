"""One file a verb: options with help, one call into the vault, one call that shows the result."""
