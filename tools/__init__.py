"""Tools of the people who work on Ringfence; nothing here is installed."""
