"""string for Monty; see prelude.py."""

# mypy: allow-untyped-defs, allow-untyped-calls


class _SandboxString:
    def __init__(self, **members):
        for name, member in members.items():
            setattr(self, name, member)


def _sandbox_string_capwords(text, sep=None):
    return (sep or " ").join([word.capitalize() for word in text.split(sep)])


_sandbox_string = _SandboxString(
    capwords=_sandbox_string_capwords,
    ascii_lowercase="abcdefghijklmnopqrstuvwxyz",
    ascii_uppercase="ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    ascii_letters="abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    digits="0123456789",
    hexdigits="0123456789abcdefABCDEF",
    octdigits="01234567",
    punctuation="!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    whitespace=" \t\n\r\x0b\x0c",
)
