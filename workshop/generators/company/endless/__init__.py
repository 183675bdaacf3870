"""Companies without end: word tables, drawn rules, wikis, and the tasks that are asked there."""
