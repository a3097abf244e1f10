"""Facts in words: the text form of every picture, and errors in plain words."""
