"""The platform's site: sessions, tasks and their event logs as pages that stay up to date."""
