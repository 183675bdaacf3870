"""pprint for Monty; see prelude.py."""

# mypy: allow-untyped-defs, allow-untyped-calls


class _SandboxPprint:
    def __init__(self, **members):
        for name, member in members.items():
            setattr(self, name, member)


def _sandbox_pprint_text(obj, indent, width, sort):
    text = repr(obj)
    if len(text) + indent <= width or not isinstance(obj, (dict, list, tuple)) or not obj:
        return text
    joint = ",\n" + " " * (indent + 1)
    if isinstance(obj, dict):
        keys = sorted(obj, key=lambda key: (type(key).__name__, key)) if sort else list(obj)
        parts = []
        for key in keys:
            name = repr(key) + ": "
            parts.append(
                name + _sandbox_pprint_text(obj[key], indent + 1 + len(name), width - 1, sort)
            )
        return "{" + joint.join(parts) + "}"
    inner = joint.join([_sandbox_pprint_text(item, indent + 1, width - 1, sort) for item in obj])
    if isinstance(obj, list):
        return "[" + inner + "]"
    return "(" + inner + ("," if len(obj) == 1 else "") + ")"


def _sandbox_pprint_pformat(obj, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True):
    return _sandbox_pprint_text(obj, 0, width, sort_dicts)


def _sandbox_pprint_pprint(
    obj, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True
):
    print(_sandbox_pprint_text(obj, 0, width, sort_dicts))


def _sandbox_pprint_pp(
    obj, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=False
):
    print(_sandbox_pprint_text(obj, 0, width, sort_dicts))


_sandbox_pprint = _SandboxPprint(
    pformat=_sandbox_pprint_pformat,
    pprint=_sandbox_pprint_pprint,
    pp=_sandbox_pprint_pp,
)
