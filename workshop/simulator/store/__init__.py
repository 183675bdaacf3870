"""The store's world: pack, shop, API, scoring, generator, oracle."""
