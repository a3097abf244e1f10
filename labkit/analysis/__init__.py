"""Plain records of all processes, merged and compared into facts."""
