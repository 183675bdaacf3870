"""The best answers to a demand in a shop, found by exact methods, with certificates."""
