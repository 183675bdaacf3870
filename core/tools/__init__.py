"""Shared by the tools of every benchmark: a task's API, faults, paging, request tools."""
