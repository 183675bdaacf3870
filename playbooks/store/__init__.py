"""The store's strategies, the grammar that reads its tasks, and the brain that plays them."""
