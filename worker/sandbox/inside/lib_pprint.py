"""pprint for Monty; see prelude.py."""

# mypy: ignore-errors


class _sandbox_pprint:
    def text(obj, indent, width, sort):
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
                    name + _sandbox_pprint.text(obj[key], indent + 1 + len(name), width - 1, sort)
                )
            return "{" + joint.join(parts) + "}"
        parts = [_sandbox_pprint.text(item, indent + 1, width - 1, sort) for item in obj]
        inner = joint.join(parts)
        if isinstance(obj, list):
            return "[" + inner + "]"
        return "(" + inner + ("," if len(obj) == 1 else "") + ")"

    def pformat(obj, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True):
        return _sandbox_pprint.text(obj, 0, width, sort_dicts)

    def pprint(obj, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True):
        print(_sandbox_pprint.text(obj, 0, width, sort_dicts))

    def pp(obj, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=False):
        print(_sandbox_pprint.text(obj, 0, width, sort_dicts))
