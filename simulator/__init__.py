"""An ERC3 platform on loopback: packs of shops, sessions, tasks, store API, evaluator."""
