"""The first code of the fork server, which Python gets as an argument.

The rest comes with the first message of the host, so that no path is visible inside.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

import json
import socket
import sys
from importlib.machinery import ModuleSpec


class _Ours:
    """Imports what the host has sent."""

    def find_spec(self, name, _path=None, _target=None):
        # A package has no text.
        return ModuleSpec(name, self, is_package=not sources[name]) if name in sources else None  # type: ignore[arg-type]

    def create_module(self, _spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        file = f"/sandbox/{name.replace('.', '/')}.py"
        exec(compile(sources[name], file, "exec"), module.__dict__)


control = socket.socket(fileno=0)
start = json.loads(control.recv(1 << 18))
sources = start["sources"]
sys.argv = sys.orig_argv = [""]
sys.meta_path.insert(0, _Ours())
from worker.sandbox.inside import forking  # noqa: E402

del sys.meta_path[0]
forking.main(control, start)
