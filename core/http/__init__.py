"""HTTP with one deadline and bounded answers, for models and the platform."""
