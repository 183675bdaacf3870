"""What kind of thing a product is: lists of words, and how a shop names its goods."""
