"""Text that lies and input that harms: nothing deceives a reader, nothing stops or fills a reader of ours."""
