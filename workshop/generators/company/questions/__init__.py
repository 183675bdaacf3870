"""The kinds of questions, each with the rights that it takes and the way to its answer."""
