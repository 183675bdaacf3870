"""Mechanics of products and stock: named things, variants, whole categories, ghost stock."""

from __future__ import annotations

from workshop.generators.store.bench import Good, Retry, TaskBuilder
from workshop.generators.store.draft import Draft, Fallback, Line, as_many, named, of_kind
from workshop.generators.store.level import between, chance
from workshop.generators.store.oracle.answer import Answer
from workshop.generators.store.oracle.demand import Choice, Want
from workshop.generators.store.vocabulary import Kind, titled


def bought(answer: Answer) -> bool:
    """Whether there is something to buy."""
    return bool(answer.purchases)


def refused(answer: Answer) -> bool:
    """Whether there is nothing to buy."""
    return not answer.purchases


def rivals(bench: TaskBuilder, kind: Kind, least: int = 1) -> list[Good]:
    """Products of a kind, as many as the level has; raises `Retry` where those are too few."""
    goods = bench.family(kind, between(bench.rng, bench.level.rivals))
    if len(goods) < least:
        raise Retry("no choice")
    return goods


def siblings(bench: TaskBuilder, good: Good) -> list[Good]:
    """The same product in other sizes and looks, each with one attribute changed."""
    kind, maker = good.kind, (good.brand, good.model)
    assert kind is not None
    found = [(size, good.look) for size in kind.sizes if size != good.size]
    found += [(good.size, look) for look in kind.looks if look != good.look]
    bench.rng.shuffle(found)
    number = between(bench.rng, bench.level.rivals)
    return [bench.good(kind, maker=maker, size=s, look=k) for s, k in found[:number]]


def one_of_many(bench: TaskBuilder) -> Good:
    """A product among its siblings."""
    good = bench.good(bench.kind())
    siblings(bench, good)
    return good


def plain(bench: TaskBuilder) -> Draft:
    """A product by its full name among its siblings; stock ample or just enough."""
    good = one_of_many(bench)
    quantity = between(bench.rng, (1, bench.level.pieces[1]))
    if chance(bench.rng, 40):
        bench.change(good, stock=quantity)
    return Draft([named(good, quantity)], accept=bought)


def several_lines(bench: TaskBuilder) -> Draft:
    """Several named products; at times one of them is short."""
    lines = []
    for _ in range(between(bench.rng, (2, 4))):
        good = bench.good(bench.kind())
        quantity = between(bench.rng, bench.level.pieces)
        lines.append(named(good, quantity))
        if chance(bench.rng, 50):
            siblings(bench, good)
    if chance(bench.rng, 30):
        bench.change(good, stock=quantity - 1)
        return Draft(lines, accept=refused)
    return Draft(lines, accept=bought)


def stock_short(bench: TaskBuilder) -> Draft:
    """Fewer pieces in stock than are asked for."""
    good = one_of_many(bench)
    quantity = between(bench.rng, (2, bench.level.pieces[1] + 3))
    bench.change(good, stock=between(bench.rng, (0, quantity - 1)))
    return Draft([named(good, quantity)], accept=refused)


def not_sold(bench: TaskBuilder) -> Draft:
    """A product by name that the shop has only with another attribute, maker or not at all."""
    kind = bench.kind()
    good = bench.imagine(kind)
    if chance(bench.rng, 70):
        siblings(bench, good)
    else:
        rivals(bench, kind)
    if any(other.name == good.name for other in bench.goods.values()):
        raise Retry("it is sold after all")
    return Draft([named(good, between(bench.rng, (1, 3)), sold=False)], accept=refused)


def variant(bench: TaskBuilder) -> Draft:
    """A product by kind, size and look; every other one differs in exactly one attribute."""
    good = one_of_many(bench)
    return Draft([_by_attributes(bench, good, sold=True)], accept=bought)


def variant_gone(bench: TaskBuilder) -> Draft:
    """A variant that is sold out, not sold, or gone at checkout."""
    good = one_of_many(bench)
    case = bench.rng.randrange(3)
    line = _by_attributes(bench, good, sold=case > 0)
    if case == 0:
        del bench.goods[good.sku]
    elif case == 1:
        bench.change(good, stock=0)
    else:
        bench.change(good, stock=line.quantity + 1)
        bench.haunt(good, line.quantity - 1)
    return Draft([line], accept=refused)


def _by_attributes(bench: TaskBuilder, good: Good, *, sold: bool) -> Line:
    assert good.kind is not None
    noun, size, look = titled(good.kind.noun), titled(good.size), titled(good.look)
    phrases = (f"{noun} {size} {look}", f"{noun} {look} {size}", f"{look} {noun} {size}")
    phrase = bench.rng.choice(phrases)
    if bench.rng.randrange(3) == 0:
        phrase = f"{noun} ({size}, {look})"
    choices = (Choice(good.sku),) if sold else ()
    quantity = between(bench.rng, (1, 4))
    return Line(Want(choices, "exact", quantity), "named", phrase, phrase)


def whole_category(bench: TaskBuilder) -> Draft:
    """Everything of a kind, several products short at checkout at times."""
    kind = bench.kind()
    goods = rivals(bench, kind)
    bench.near(kind)
    for good in goods:
        bench.change(good, stock=between(bench.rng, (1, 12)))
    if chance(bench.rng, 60):
        for good in bench.rng.sample(goods, min(len(goods), between(bench.rng, (1, 3)))):
            bench.haunt(good, between(bench.rng, (0, bench.goods[good.sku].stock - 1)))
    return Draft([of_kind(kind, goods, "all")], accept=bought)


def category_empty(bench: TaskBuilder) -> Draft:
    """Everything of a kind in a shop that has only what sounds like it."""
    kind = bench.kind()
    bench.near(kind)
    return Draft([of_kind(kind, [], "all")], accept=refused)


def all_except(bench: TaskBuilder) -> Draft:
    """Everything of a kind but what one maker makes."""
    kind = bench.kind()
    goods = rivals(bench, kind, least=2)
    for good in goods:
        bench.change(good, stock=between(bench.rng, (1, 9)))
    out = goods[0].brand
    left = [good for good in goods if good.brand != out]
    line = of_kind(kind, left, "all")
    line = Line(line.want, "all", line.singular, line.plural, but_not=out)
    return Draft([line], accept=bought)


def one_of_each(bench: TaskBuilder) -> Draft:
    """One of every product of a kind."""
    kind = bench.kind()
    goods = rivals(bench, kind, least=2)
    return Draft([of_kind(kind, goods, "each")], accept=bought)


def ghost_exact(bench: TaskBuilder) -> Draft:
    """An exact number of which checkout finds fewer, or just enough."""
    good = one_of_many(bench)
    quantity = between(bench.rng, (2, bench.level.pieces[1] + 1))
    stock = quantity + between(bench.rng, (0, 5))
    short = chance(bench.rng, 70)
    if not short and stock == quantity:
        raise Retry("nothing moves")
    bench.change(good, stock=stock)
    bench.haunt(good, between(bench.rng, (0, quantity - 1)) if short else quantity)
    return Draft([named(good, quantity)], accept=refused if short else bought)


def as_many_as(bench: TaskBuilder) -> Draft:
    """As many of a product as can be had, up to a number; checkout may find fewer."""
    good = one_of_many(bench)
    most = between(bench.rng, (3, bench.level.pieces[1] + 3))
    stock = between(bench.rng, (1, most + 4))
    bench.change(good, stock=stock)
    if stock > 1 and chance(bench.rng, 50):
        bench.haunt(good, between(bench.rng, (1, stock - 1)))
    return Draft([as_many(good, most)], accept=bought)


def substitute(bench: TaskBuilder) -> Draft:
    """A product and what to take instead if there are not enough of it."""
    kind = bench.kind()
    good, other = bench.family(kind, 2)
    siblings(bench, good)
    quantity = between(bench.rng, (1, 4))
    case = bench.rng.randrange(4)
    if case < 2:
        bench.change(good, stock=between(bench.rng, (0, quantity - 1)))
    elif case == 2:
        bench.change(good, stock=quantity + 2)
        bench.haunt(good, quantity - 1)
    fallback = Fallback(named(other, quantity), "substitute")
    wanted = 0 if case == 3 else 1
    return Draft(
        [named(good, quantity)], fallback=fallback, accept=lambda answer: answer.chosen == wanted
    )


def what_is_left(bench: TaskBuilder) -> Draft:
    """A number of a product, or all that is left of it if there are fewer."""
    good = bench.good(bench.kind())
    quantity = between(bench.rng, (3, bench.level.pieces[1] + 4))
    stock = between(bench.rng, (1, quantity + 3))
    bench.change(good, stock=stock)
    if stock > 1 and chance(bench.rng, 40):
        bench.haunt(good, between(bench.rng, (1, stock - 1)))
    fallback = Fallback(as_many(good, quantity), "rest")
    return Draft([named(good, quantity)], fallback=fallback, accept=bought)


def hostile_names(bench: TaskBuilder) -> Draft:
    """A plain order in a shop whose other products have names that give orders."""
    bench.hostile(between(bench.rng, (2, 5)))
    return bench.rng.choice((plain, variant, stock_short))(bench)
