"""Settings: what is read, from where, and how the file is changed."""
