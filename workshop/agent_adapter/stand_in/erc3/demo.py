"""Says that the SDK's module of the same name has no counterpart."""

raise ImportError("erc3.demo is not in erc3_compat: no embedded platform plays the demo benchmark")
