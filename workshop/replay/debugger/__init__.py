"""The step debugger: recorded or live work, stopped at each tool call."""
