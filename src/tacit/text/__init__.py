"""Functions on strings: words and stems, sentences, shell lines, display, the fence."""
