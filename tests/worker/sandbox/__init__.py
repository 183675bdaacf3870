"""Tests of the sandbox: conformance, limits, attacks, common worker code."""
