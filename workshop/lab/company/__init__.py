"""The company in the lab: its packs and the trivial players to beat."""
