"""Does a program clean up after each call that may fail? One run for each, with that call failing."""
