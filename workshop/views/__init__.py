"""Who looks at runs: report, live pages, terminal, statistics, tracing, export."""
