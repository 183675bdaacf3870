"""Worker code of the company's programs: records and a question in, a report out."""
