"""What of the lab is the store's alone: trivial players, smaller shops, generated ones."""
