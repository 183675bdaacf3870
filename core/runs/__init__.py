"""The run folder: records, journal, manifest, and what reads them again."""
