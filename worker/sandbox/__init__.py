"""The sandbox in which generated code runs: contract, executors, isolation."""
