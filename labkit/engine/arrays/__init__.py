"""One value of this process, told as a plain record."""
