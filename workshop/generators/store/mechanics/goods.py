"""Mechanics of products and stock: named things, variants, whole categories, ghost stock."""

from __future__ import annotations

from dataclasses import replace

from workshop.generators.store.builder import MOST_PIECES, RIVALS, Good, Retry, ShopBuilder
from workshop.generators.store.draft import Draft, WantedLine, as_many, named, of_kind
from workshop.generators.store.oracle.demand import Want
from workshop.generators.store.oracle.solve import BestPurchases
from workshop.generators.store.vocabulary import ProductKind, titled


def bought(answer: BestPurchases) -> bool:
    """Whether there is something to buy."""
    return bool(answer.purchases)


def refused(answer: BestPurchases) -> bool:
    """Whether there is nothing to buy."""
    return not answer.purchases


def rivals(builder: ShopBuilder, least: int = 1) -> tuple[ProductKind, list[Good]]:
    """A kind with as many products as there shall be; raises `Retry` where those are too few."""
    kind = builder.kind()
    goods = builder.family(kind, builder.between(*RIVALS))
    if len(goods) < least:
        raise Retry("no choice")
    return kind, goods


def siblings(builder: ShopBuilder, good: Good) -> list[Good]:
    """The same product in other sizes and looks, each with one attribute changed."""
    kind, maker = good.kind, (good.brand, good.model)
    assert kind is not None
    variants = [(size, good.look) for size in kind.sizes if size != good.size]
    variants += [(good.size, look) for look in kind.looks if look != good.look]
    builder.rng.shuffle(variants)
    number = builder.between(*RIVALS)
    return [builder.good(kind, maker=maker, size=s, look=k) for s, k in variants[:number]]


def one_of_many(builder: ShopBuilder) -> Good:
    """A product among its siblings."""
    good = builder.good(builder.kind())
    siblings(builder, good)
    return good


def shopping_list(
    builder: ShopBuilder, number: int, pieces: tuple[int, int], percent: int
) -> list[WantedLine]:
    """So many named products, each with its siblings in so many of a hundred cases."""
    lines = []
    for _ in range(number):
        good = builder.good(builder.kind())
        lines.append(named(good, builder.between(*pieces)))
        if builder.chance(percent):
            siblings(builder, good)
    return lines


def plain(builder: ShopBuilder) -> Draft:
    """A product by its full name among its siblings; stock ample or just enough."""
    good = one_of_many(builder)
    quantity = builder.between(1, MOST_PIECES)
    if builder.chance(40):
        builder.change(good, stock=quantity)
    return Draft([named(good, quantity)], accept=bought)


def several_lines(builder: ShopBuilder) -> Draft:
    """Several named products; at times one of them is short."""
    lines = shopping_list(builder, builder.between(2, 4), (1, MOST_PIECES), 50)
    if builder.chance(30):
        good = builder.goods[lines[-1].want.sku]
        builder.change(good, stock=lines[-1].quantity - 1)
        return Draft(lines, accept=refused)
    return Draft(lines, accept=bought)


def stock_short(builder: ShopBuilder) -> Draft:
    """Fewer pieces in stock than are asked for."""
    good = one_of_many(builder)
    quantity = builder.between(2, MOST_PIECES + 3)
    builder.change(good, stock=builder.between(0, quantity - 1))
    return Draft([named(good, quantity)], accept=refused)


def not_sold(builder: ShopBuilder) -> Draft:
    """A product by name that the shop has only with another attribute, maker or not at all."""
    kind = builder.kind()
    good = builder.imagine(kind)
    if builder.chance(70):
        siblings(builder, good)
    else:
        builder.family(kind, builder.between(*RIVALS))
    if any(other.name == good.name for other in builder.goods.values()):
        raise Retry("it is sold after all")
    return Draft([named(good, builder.between(1, 3), sold=False)], accept=refused)


def variant(builder: ShopBuilder) -> Draft:
    """A product by kind, size and look; every other one differs in exactly one attribute."""
    good = one_of_many(builder)
    return Draft([_by_attributes(builder, good, sold=True)], accept=bought)


def variant_gone(builder: ShopBuilder) -> Draft:
    """A variant that is sold out, not sold, or gone at checkout."""
    good = one_of_many(builder)
    case = builder.rng.randrange(3)
    line = _by_attributes(builder, good, sold=case > 0)
    if case == 0:
        del builder.goods[good.sku]
    elif case == 1:
        builder.change(good, stock=0)
    else:
        builder.change(good, stock=line.quantity + 1)
        builder.haunt(good, line.quantity - 1)
    return Draft([line], accept=refused)


def _by_attributes(builder: ShopBuilder, good: Good, *, sold: bool) -> WantedLine:
    assert good.kind is not None
    noun, size, look = titled(good.kind.noun), titled(good.size), titled(good.look)
    phrases = (f"{noun} {size} {look}", f"{noun} {look} {size}", f"{look} {noun} {size}")
    phrase = builder.rng.choice(phrases)
    if builder.rng.randrange(3) == 0:
        phrase = f"{noun} ({size}, {look})"
    choices = {good.sku: 1} if sold else {}
    quantity = builder.between(1, 4)
    return WantedLine(Want(choices, "exact", quantity), "named", phrase, phrase)


def whole_category(builder: ShopBuilder) -> Draft:
    """Everything of a kind, several products short at checkout at times."""
    kind, goods = rivals(builder)
    builder.near(kind)
    for good in goods:
        builder.change(good, stock=builder.between(1, 12))
    if builder.chance(60):
        for good in builder.rng.sample(goods, min(len(goods), builder.between(1, 3))):
            builder.haunt(good, builder.between(0, builder.goods[good.sku].stock - 1))
    return Draft([of_kind(kind, goods, "all")], accept=bought)


def category_empty(builder: ShopBuilder) -> Draft:
    """Everything of a kind in a shop that has only what sounds like it."""
    kind = builder.kind()
    builder.near(kind)
    return Draft([of_kind(kind, [], "all")], accept=refused)


def all_except(builder: ShopBuilder) -> Draft:
    """Everything of a kind but what one maker makes."""
    kind, goods = rivals(builder, least=2)
    for good in goods:
        builder.change(good, stock=builder.between(1, 9))
    out = goods[0].brand
    left = [good for good in goods if good.brand != out]
    return Draft([replace(of_kind(kind, left, "all"), but_not=out)], accept=bought)


def one_of_each(builder: ShopBuilder) -> Draft:
    """One of every product of a kind."""
    kind, goods = rivals(builder, least=2)
    return Draft([of_kind(kind, goods, "each")], accept=bought)


def ghost_exact(builder: ShopBuilder) -> Draft:
    """An exact number of which checkout finds fewer, or just enough."""
    good = one_of_many(builder)
    quantity = builder.between(2, MOST_PIECES + 1)
    stock = quantity + builder.between(0, 5)
    short = builder.chance(70)
    if not short and stock == quantity:
        raise Retry("nothing moves")
    builder.change(good, stock=stock)
    builder.haunt(good, builder.between(0, quantity - 1) if short else quantity)
    return Draft([named(good, quantity)], accept=refused if short else bought)


def as_many_as(builder: ShopBuilder) -> Draft:
    """As many of a product as can be had, up to a number; checkout may find fewer."""
    good = one_of_many(builder)
    most = builder.between(3, MOST_PIECES + 3)
    stock = builder.between(1, most + 4)
    builder.change(good, stock=stock)
    if stock > 1 and builder.chance(50):
        builder.haunt(good, builder.between(1, stock - 1))
    return Draft([as_many(good, most)], accept=bought)


def substitute(builder: ShopBuilder) -> Draft:
    """A product and what to take instead if there are not enough of it."""
    kind = builder.kind()
    good, other = builder.family(kind, 2)
    siblings(builder, good)
    quantity = builder.between(1, 4)
    case = builder.rng.randrange(4)
    if case < 2:
        builder.change(good, stock=builder.between(0, quantity - 1))
    elif case == 2:
        builder.change(good, stock=quantity + 2)
        builder.haunt(good, quantity - 1)
    wanted = 0 if case == 3 else 1
    return Draft(
        [named(good, quantity)],
        fallback=named(other, quantity),
        accept=lambda answer: answer.chosen == wanted,
    )


def what_is_left(builder: ShopBuilder) -> Draft:
    """A number of a product, or all that is left of it if there are fewer."""
    good = builder.good(builder.kind())
    quantity = builder.between(3, MOST_PIECES + 4)
    stock = builder.between(1, quantity + 3)
    builder.change(good, stock=stock)
    if stock > 1 and builder.chance(40):
        builder.haunt(good, builder.between(1, stock - 1))
    return Draft([named(good, quantity)], fallback=as_many(good, quantity), accept=bought)


def hostile_names(builder: ShopBuilder) -> Draft:
    """A plain order in a shop whose other products have names that give orders."""
    builder.hostile(builder.between(2, 5))
    return builder.rng.choice((plain, variant, stock_short))(builder)
