"""What Ringfence remembers: per-user folders, records, counters."""
