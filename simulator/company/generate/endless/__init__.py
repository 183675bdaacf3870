"""Companies without end: word tables, drawn rules, pages in many wordings, tasks and their texts."""
