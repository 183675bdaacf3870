"""The tasks of the bundled companies: who asks what, chosen so that each trap is really there."""
