"""Puts Ringfence's hooks where harnesses look for them."""
