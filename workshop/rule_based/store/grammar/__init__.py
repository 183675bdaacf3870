"""A small grammar of shopping requests: task text in, understood order out."""
