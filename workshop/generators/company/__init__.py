"""Companies with known answers: records drawn from a seed, rules as values, asks, an oracle."""
