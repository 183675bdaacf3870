"""What can be said in several ways: first the plain ways, then those for varied wording."""

from __future__ import annotations

from typing import NamedTuple


class Ways(NamedTuple):
    """Phrases with the same meaning, by how plain they are."""

    plain: tuple[str, ...]
    other: tuple[str, ...] = ()


ORDER = Ways(
    ("Buy {things}", "Order {things}", "Get {things}", "Purchase {things}", "Please buy {things}"),
    (
        "I'd like {things}",
        "We need {things}",
        "Please send us {things}",
        "I want to order {things}",
        "Kindly purchase {things}",
        "Please get me {things}",
        "We would like to buy {things}",
        "It is time to order {things}",
    ),
)
INDIRECT = (
    "My sister runs a small place of her own and has asked me to order {things}",
    "Our club secretary left a note that we should buy {things}",
    "As discussed with my partner, the plan is to get {things}",
    "A friend recommended your shop, so here I am; what I need is {things}",
    "The committee has decided that we are to purchase {things}",
    "My boss wants me to order {things}",
)
NOISE = (
    "The weather has been dreadful here for days.",
    "Your last delivery arrived in perfect shape, by the way.",
    "I found your shop through a neighbour.",
    "No hurry with the shipping.",
    "It is meant as a surprise, so please keep the parcel plain.",
    "We have been putting this off for far too long.",
    "My brother says hello.",
    "Sorry for writing so late in the evening.",
    "The old ones were lost when we moved house.",
    "I am typing this on the train, so forgive me if I sound brief.",
    "Everybody here is looking forward to it.",
    "The invoice can go to the usual address.",
    "I never quite know how to start such a message.",
    "There is no need to call me back.",
    "Our cellar was flooded in spring, but that is another story.",
    "Somebody in the family has a birthday soon.",
    "Hello from the coast!",
    "I hope all is well at your end.",
    "We have had nothing but compliments for your shop.",
    "My handwriting is worse than my typing, believe me.",
    "The cat has just walked over the keyboard.",
    "You may leave the parcel with the neighbours.",
    "It was lovely to meet your colleague at the fair.",
    "We are renovating, so please ring the bell at the back.",
)
THANKS = ("Thank you!", "Many thanks.", "Thanks in advance!", "Best wishes.")
CHEAP = Ways(
    ("as cheaply as possible", "spending as little as possible", "for the lowest possible total"),
    ("at the lowest final price", "for as little money as possible", "as cheap as you can"),
)
CHEAP_SENTENCE = (
    "Please keep the total as low as possible.",
    "What counts is the lowest final total.",
    "We want to pay as little as possible for all of it.",
)
BIGGEST = Ways(
    ("with the biggest discount", "with the most discount"),
    ("at the largest possible discount", "with the coupon that saves the most"),
)
UNDER = Ways(("for under ${n}", "for less than ${n}"), ("for a price below ${n}",))
AT_MOST = Ways(("for at most ${n}", "for no more than ${n}"), ("for ${n} or less",))
UNDER_SENTENCE = (
    "The total{after} must be under ${n}.",
    "We must stay below ${n} in total{after}.",
)
AT_MOST_SENTENCE = (
    "The total{after} must not exceed ${n}.",
    "We can pay at most ${n} in total{after}.",
    "Our budget is ${n} at most, all together{after}.",
)
MAY = Ways(
    ("Coupons: {codes}", "Coupons you can try: {codes}", "Codes: {codes}"),
    (
        "These codes may or may not help: {codes}",
        "You may use one of these coupons: {codes}",
        "Coupon codes we found: {codes}",
    ),
)
MAY_ONE = Ways(
    ("Coupon you can try: {codes}", "You may use coupon {codes}"),
    ("There is a coupon {codes} which may or may not help",),
)
MUST = Ways(
    ("using coupon {code}", "using coupon code {code}", "with coupon {code}"),
    ("with promo code {code} applied", "redeeming voucher {code}"),
)
EITHER = Ways(
    ("using either {a} or {b}, whichever saves more",),
    ("with coupon {a} or {b}, whichever takes more off",),
)
TOGETHER = Ways(
    (
        "using both coupons {a} and {b} at the same time",
        "with both {a} and {b} coupons applied to the order",
    ),
    ("with codes {a} and {b} combined on one order, we need both discounts",),
)
NO_DISCOUNT_NO_ORDER = (
    "If there is no discount, do not buy anything.",
    "Without the discount we do not want the order.",
    "Only buy if the coupon really takes something off.",
)
ANYWAY = Ways(
    ("Try coupon {code}; if it does not work, buy at full price.",),
    (
        "Use code {code} if it gives a discount, otherwise buy without it.",
        "We have code {code}; should it not work, order all the same at full price.",
    ),
)
SHUNNED = Ways(
    ("Do not use coupon {code} or any other coupon.", "Do not use any coupon, not even {code}."),
    ("We want to pay the full price: leave coupon {code} and all others aside.",),
)
EXTRAS_FREE = Ways(
    (
        "You may add other products if that makes the order cheaper.",
        "You may add other articles, but only if that lowers the total.",
    ),
    (
        "Adding anything else from the shop is fine where it lowers what we pay in the end.",
        "Other articles may go along if the final price falls because of them.",
    ),
)
EXTRAS_NONE = Ways(
    ("Nothing else, please.", "No other products.", "Do not add anything else."),
    ("Please leave everything else out of the order.", "That is all, no additions."),
)
SUBSTITUTE = Ways(
    (
        "If there are not enough of it in stock, buy {things} instead.",
        "If that cannot be had in full, get {things} instead.",
    ),
    ("Should the stock not suffice, {things} will do instead.",),
)
REST = Ways(
    ("If there are fewer in stock, take all that are left.",),
    (
        "Should you have fewer than that, just take as many as there are.",
        "If the stock does not suffice, send whatever is left of them.",
    ),
)
EXACTLY = Ways(("exactly {n} {plural}",), ("{n} {plural}, no more and no fewer,",))
ALL = Ways(
    ("ALL {plural}{but}", "every {noun} in stock{but}", "all {plural} you have{but}"),
    (
        "your entire stock of {plural}{but}",
        "each and every {noun} that can be had{but}",
        "all the {plural} on your shelves{but}",
    ),
)
BUT = Ways((" except those by {brand}", " but none made by {brand}"), (", leaving out {brand},",))
EACH = Ways(
    ("one of each {noun} you sell",), ("one piece of every {noun} in the shop", "each {noun} once")
)
CHEAPEST = Ways(
    ("the cheapest {noun} available", "the cheapest {noun} in stock"),
    ("the least expensive {noun} that is in stock", "the lowest-priced {noun} you have in stock"),
)
DEAREST = Ways(
    ("the most expensive {noun} in stock", "the most expensive {noun} available"),
    ("the dearest {noun} you have in stock",),
)
UP_TO = Ways(
    (
        "as many {name} as you have, up to {n}",
        "as many {name} as you can get, but no more than {n}",
    ),
    ("up to {n} pieces of {name}, as many as can be had",),
)
AS_MANY = Ways(("as many {name} as possible",), ("as many pieces of {name} as the money allows",))
KIT = Ways(
    ("the full {kit} set ({parts}, one of each)", "the complete {kit} set ({parts})"),
    ("everything for the {kit}, that is one each of {parts},",),
)
