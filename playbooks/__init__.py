"""One module per shopping strategy, and the playbook brain that needs no key."""
