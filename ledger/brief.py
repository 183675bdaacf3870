"""Values as prompts show them: order lines as ``sku×n``, lists of like objects untouched."""

from __future__ import annotations

_LINE = ({"sku", "quantity"}, {"sku", "quantity", "price"})


def brief_lines(value: object) -> object:
    """A value whose lists of ``{sku, quantity}`` are lists of texts ``sku×n``.

    A line's price stands behind it: ``sku×2 at 15``. Other data stay as they are.
    """
    if isinstance(value, dict):
        return {key: brief_lines(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        if value and all(isinstance(one, dict) and one.keys() in _LINE for one in value):
            return [_line(one) for one in value]
        return [brief_lines(inner) for inner in value]
    return value


def read_line(text: str) -> tuple[str, int] | None:
    """SKU and quantity of a text that :func:`brief_lines` wrote, or None for another text."""
    sku, _, rest = text.rpartition("×")
    number = rest.split(" at ")[0].strip()
    return (sku.strip(), int(number)) if sku.strip() and number.isdecimal() else None


def _line(one: dict[str, object]) -> str:
    price = f" at {one['price']}" if "price" in one else ""
    return f"{one['sku']}×{one['quantity']}{price}"
