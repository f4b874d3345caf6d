"""Markdown pages and fact files, merged with what people changed by hand."""
