"""A draft put into words; never unclear."""

from __future__ import annotations

from random import Random

from workshop.generators.store.draft import Draft, WantedLine
from workshop.generators.store.vocabulary import phrases


def write_text(draft: Draft, rng: Random) -> str:
    """A task text; the same draft and state of `rng` give the same text."""
    return _Writer(draft, rng).text()


class _Writer:
    """What the text says: its order with a lead and tails, and sentences behind it."""

    def __init__(self, draft: Draft, rng: Random) -> None:
        self._draft, self._rng = draft, rng
        self._lead = ""
        self._tails: list[str] = []
        self._sentences: list[str] = []

    def text(self) -> str:
        """The whole text; called once."""
        self._say_goal()
        self._say_limit()
        self._say_coupons()
        self._say_rest()
        main = " ".join([self._say("order", things=self._things()), *self._tails])
        if self._lead:
            begin = main[0] if main.startswith(("I ", "I'")) else main[0].lower()
            main = f"{self._lead}, {begin}{main[1:]}"
        sentences = [main.rstrip(",") + ".", *self._sentences]
        return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)

    def _say(self, name: str, /, **values: object) -> str:
        return self._rng.choice(phrases(name)).format(**values)

    def _things(self) -> str:
        draft = self._draft
        if draft.kit:
            parts = _listed([line.singular for line in draft.lines])
            return self._say("kit", kit=draft.kit, parts=parts)
        return _listed([self._thing(line) for line in draft.lines])

    def _thing(self, line: WantedLine) -> str:
        noun, plural, number, form = line.singular, line.plural, line.quantity, line.form
        if form == "named":
            pieces = "piece" if number == 1 else "pieces"
            return self._say("named", n=number, name=noun, pieces=pieces)
        if form == "one":
            article = "an" if noun[0] in "aeiou" or noun.startswith("hour") else "a"
            return self._say("one", noun=noun, article=article)
        if form in ("kind", "units"):
            exactly = form == "units" and self._draft.not_more
            return self._say("exactly" if exactly else "units", n=number, plural=plural)
        if form == "up_to":
            return self._say("up_to" if number else "as_many", n=number, name=noun)
        but = self._say("but", brand=line.but_not) if line.but_not else ""
        return self._say(form, noun=noun, plural=plural, but=but)

    def _say_goal(self) -> None:
        draft = self._draft
        said_by_line = any(line.form == "cheapest" for line in draft.lines)
        if draft.goal != "cheapest" or draft.buy_anyway or draft.rule == "must" or said_by_line:
            return
        if draft.by_discount:
            self._tails.append(self._say("biggest"))
        elif self._rng.randrange(2):
            self._tails.append(self._say("cheap"))
        else:
            self._sentences.append(self._say("cheap_sentence"))

    def _say_limit(self) -> None:
        draft, limit = self._draft, self._draft.limit
        if limit is None:
            return
        dollars = f"{limit.dollars:,}" if self._rng.randrange(2) else str(limit.dollars)
        kind = "at_most" if limit.inclusive else "under"
        after = " after the discount" if draft.codes else ""
        in_total = "" if [line.quantity for line in draft.lines] == [1] else " in total"
        tail = self._say(kind, n=dollars) + in_total + after
        way = self._rng.randrange(3)
        if way == 0:
            self._tails.append(tail)
        elif way == 1:
            self._lead = tail
        else:
            self._sentences.append(self._say(f"{kind}_sentence", n=dollars, after=after))

    def _say_coupons(self) -> None:
        draft, codes = self._draft, self._draft.codes
        if draft.shunned:
            self._sentences.append(self._say("shunned", code=draft.shunned))
        if draft.rule in ("must", "together"):
            both = "together" if draft.rule == "together" else "either"
            name = "must" if len(codes) == 1 else both
            self._tails.append(self._say(name, code=codes[0], a=codes[0], b=codes[-1]))
        if draft.no_discount_no_order:
            self._sentences.append(self._say("no_discount_no_order"))

    def _say_rest(self) -> None:
        """Additions, fallbacks and the offered codes, which stand last."""
        draft = self._draft
        if draft.extras == "allowed":
            self._sentences.append(self._say("extras_free"))
        elif draft.extras == "none" and self._rng.randrange(2):
            self._sentences.append(self._say("extras_none"))
        if draft.fallback:
            kind = "rest" if draft.fallback.form == "up_to" else "substitute"
            self._sentences.append(self._say(kind, things=self._thing(draft.fallback)))
        if draft.buy_anyway:
            self._sentences.append(self._say("anyway", code=draft.codes[0]))
        elif draft.rule == "may":
            named = [
                f"{code} ({draft.hints[code]})" if code in draft.hints else code
                for code in draft.codes
            ]
            name = "may" if len(named) > 1 else "may_one"
            self._sentences.append(self._say(name, codes=", ".join(named)) + ".")


def _listed(things: list[str]) -> str:
    if len(things) == 1:
        return things[0]
    comma = "; " if any("," in thing for thing in things) else ", "
    last = "; and " if comma == "; " else " and "
    return comma.join(things[:-1]) + last + things[-1]
