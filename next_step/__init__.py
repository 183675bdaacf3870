"""The schema-guided agent: one model fills in a form and picks one typed tool for each step."""
