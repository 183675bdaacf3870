"""A draft put into words, plain or varied; never unclear."""

from __future__ import annotations

from random import Random
from typing import Literal

from workshop.generators.store.draft import Draft, WantedLine
from workshop.generators.store.vocabulary import phrases, ways

Wording = Literal["standard", "varied"]
_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def in_words(number: int) -> str:
    """A number below a thousand in words, larger ones in digits."""
    if number < 20:
        return _SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens] + (f"-{_SMALL[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_SMALL[hundreds]} hundred" + (f" and {in_words(rest)}" if rest else "")
    return str(number)


class Writer:
    """Writes a task text; the same draft, wording and state of `rng` give the same text."""

    def __init__(self, draft: Draft, wording: Wording, rng: Random) -> None:
        self._draft, self._rng = draft, rng
        self._plain = wording == "standard"
        self._lead = ""
        self._tails: list[str] = []
        self._sentences: list[str] = []

    def text(self) -> str:
        """The whole text; called once."""
        self._say_goal()
        self._say_limit()
        self._say_coupons()
        self._say_rest()
        order = self._pick("order").format(things=self._things())
        main = " ".join([order, *self._tails]).replace(",.", ".")
        if self._lead:
            main = f"{self._lead}, {main[0].lower() if main[:2] != 'I ' else 'I'}{main[1:]}"
            main = main.replace("i'd like", "I'd like", 1).replace("i want", "I want", 1)
        sentences = [main.rstrip(",") + ".", *self._sentences]
        whole = " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)
        ends_plainly = self._plain and (len(sentences) == 1 or self._draft.rule == "may")
        return whole.removesuffix(".") if ends_plainly else whole

    def _pick(self, name: str) -> str:
        return self._rng.choice(ways(name, varied=not self._plain))

    def _say(self, name: str, /, **values: str) -> str:
        return self._pick(name).format(**values)

    def _number(self, number: int) -> str:
        if self._plain or self._rng.randrange(2):
            return str(number)
        return in_words(number)

    def _things(self) -> str:
        draft = self._draft
        if draft.kit:
            parts = _listed([line.singular for line in draft.lines])
            return self._say("kit", kit=draft.kit, parts=parts)
        return _listed([self._thing(line) for line in draft.lines])

    def _thing(self, line: WantedLine) -> str:
        noun, plural, number = line.singular, line.plural, self._number(line.quantity)
        form = line.form
        if form == "named":
            return self._named(line)
        if form == "kind":
            return f"{number} {plural}"
        if form == "one":
            article = "an" if noun[0] in "aeiou" or noun.startswith("hour") else "a"
            return f"one {noun}" if self._rng.randrange(2) else f"{article} {noun}"
        if form == "units":
            name = "exactly" if self._draft.not_more else "units"
            return self._say(name, n=number, plural=plural)
        if form == "up_to":
            return self._say("up_to" if line.quantity else "as_many", n=number, name=noun)
        but = self._say("but", brand=line.but_not) if line.but_not else ""
        return self._say(form, noun=noun, plural=plural, but=but)

    def _named(self, line: WantedLine) -> str:
        number, name = line.quantity, line.singular
        if self._plain:
            return f"{number}x {name}"
        words = self._number(number)
        pieces = "piece" if number == 1 else "pieces"
        ways = (f"{number}x {name}", f"{words} {pieces} of {name}", f"{number} x {name}")
        return self._rng.choice(ways)

    def _say_goal(self) -> None:
        draft = self._draft
        said_by_line = any(line.form == "cheapest" for line in draft.lines)
        if draft.goal != "cheapest" or draft.buy_anyway or draft.rule == "must" or said_by_line:
            return
        if draft.by_discount:
            self._tails.append(self._say("biggest"))
        elif self._plain or self._rng.randrange(2):
            self._tails.append(self._say("cheap"))
        else:
            self._sentences.append(self._rng.choice(phrases("cheap_sentence")))

    def _say_limit(self) -> None:
        limit = self._draft.limit
        if limit is None:
            return
        dollars = f"{limit.dollars:,}" if self._rng.randrange(2) else str(limit.dollars)
        kind = "at_most" if limit.inclusive else "under"
        tail = self._say(kind, n=dollars)
        single = [line.quantity for line in self._draft.lines] == [1]
        if not single:
            tail += " in total"
        after = " after the discount" if self._draft.codes else ""
        way = 0 if self._plain else self._rng.randrange(3)
        if way == 0:
            self._tails.append(tail + after)
        elif way == 1:
            self._lead = tail + after
        else:
            sentence = self._rng.choice(phrases(f"{kind}_sentence"))
            self._sentences.append(sentence.format(n=dollars, after=after))

    def _say_coupons(self) -> None:
        draft = self._draft
        codes = draft.codes
        if draft.shunned:
            self._sentences.append(self._say("shunned", code=draft.shunned))
        if draft.rule == "must":
            name = "must" if len(codes) == 1 else "either"
            self._tails.append(self._say(name, code=codes[0], a=codes[0], b=codes[-1]))
        elif draft.rule == "together":
            self._tails.append(self._say("together", a=codes[0], b=codes[1]))
        if draft.no_discount_no_order:
            self._sentences.append(self._rng.choice(phrases("no_discount_no_order")))

    def _say_rest(self) -> None:
        """Additions, fallbacks and the offered codes, which stand last."""
        draft = self._draft
        if draft.extras == "allowed":
            self._sentences.append(self._say("extras_free"))
        elif draft.extras == "none" and self._rng.randrange(2):
            self._sentences.append(self._say("extras_none"))
        if draft.fallback:
            kind = "rest" if draft.fallback.form == "up_to" else "substitute"
            self._sentences.append(self._say(kind, things=self._named(draft.fallback)))
        if draft.buy_anyway:
            self._sentences.append(self._say("anyway", code=draft.codes[0]))
        elif draft.rule == "may":
            name = "may" if len(draft.codes) > 1 else "may_one"
            hints = {code: f" ({hint})" for code, hint in draft.hints.items()}
            named = ", ".join(f"{code}{hints.get(code, '')}" for code in draft.codes)
            self._sentences.append(self._say(name, codes=named) + ".")


def _listed(things: list[str]) -> str:
    if len(things) == 1:
        return things[0]
    comma = "; " if any("," in thing for thing in things) else ", "
    last = "; and " if comma == "; " else " and "
    return comma.join(things[:-1]) + last + things[-1]
