"""Putting Tacit into the files of other programs, and taking it out again byte for byte. One file a target."""
