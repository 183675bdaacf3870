"""Req_* and Combo_* tools: the only way worker code reaches the store."""
