"""Says that the SDK's module of the same name has no counterpart."""

raise ImportError("erc3.demo is not in the agent adapter: nothing plays the demo here")
