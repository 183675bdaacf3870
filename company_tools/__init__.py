"""``Req_*`` and ``Combo_*`` tools of the company benchmarks, their guards, and the one answer."""
