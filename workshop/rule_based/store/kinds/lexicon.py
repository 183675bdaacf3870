"""General shop vocabulary: synonyms, and what kind of word a word is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import regex

_WORDS: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
)


def _set(name: str) -> frozenset[str]:
    return frozenset(_WORDS[name].split())


PHRASES = [
    (regex.compile(rf"\b(?:{pattern})\b"), one)
    for pattern, one in [
        (r"graphics?[\s-](?:cards?|processing units?|processors?)|video[\s-]cards?", "gpu"),
        (r"central processing units?", "cpu"),
        (r"(?:computer )?motherboards?|main[\s-]?boards?", "motherboard"),
        (r"note[\s-]?book (?:computers?|pcs?)", "laptop"),
        (r"power suppl(?:y|ies)(?: units?)?", "psu"),
        (r"solid[\s-]state (?:drives?|disks?)", "ssd"),
        (r"hard[\s-]?(?:disks?[\s-]drives?|drives?|disks?)", "hdd"),
        (r"soft drinks?", "soda"),
        (r"t[\s-]?shirts?|tee[\s-]?shirts?", "tshirt"),
        (r"e[\s-]?(?:book )?readers?", "ereader"),
        (r"e[\s-]?bikes?|electric bikes?|electric bicycles?", "ebike"),
        (r"smart[\s-]?phones?|cell[\s-]?phones?|mobile phones?|mobiles?", "phone"),
        (r"ear[\s-]?(?:buds?|phones?|pods?)", "earbud"),
        (r"head[\s-]?(?:phones?|sets?)", "headphone"),
        (r"flash[\s-]?lights?", "torch"),
        (r"back[\s-]?packs?|ruck[\s-]?sacks?|knap[\s-]?sacks?", "backpack"),
        (r"tooth[\s-]brush(?:es)?", "toothbrush"),
        (r"sleeping[\s-]bags?", "sleepingbag"),
        (r"(?:rubbish|trash|garbage|bin)[\s-](?:bags?|liners?)", "trashbag"),
        (r"tea[\s-]bags?", "teabag"),
        (r"bean[\s-]bags?", "beanbag"),
        (r"punch(?:ing)?[\s-]bags?", "punchbag"),
        (r"hand[\s-]?bags?", "handbag"),
        (r"water[\s-]bottles?", "waterbottle"),
        (r"memory cards?|sd[\s-]cards?", "sdcard"),
        (r"light[\s-]?bulbs?", "bulb"),
        (r"key[\s-]?boards?", "keyboard"),
        (r"type[\s-]writers?", "typewriter"),
        (r"web[\s-]?cams?", "webcam"),
        (r"ring binders?", "binder"),
        (r"felt[\s-]tips?(?: pens?)?", "marker"),
        (r"ball[\s-]?point(?: pens?)?", "ballpoint"),
        (r"wi[\s-]?fi", "wifi"),
        (r"blue[\s-]?tooth", "bluetooth"),
        (r"usb[\s-]c", "usbc"),
        (r"usb[\s-]a", "usba"),
        (r"type[\s-]c", "usbc"),
        (r"noise[\s-]?cancell?ing", "noisecancelling"),
        (r"stain?less(?:[\s-]steel)?", "stainless"),
        (r"rain[\s-]?coats?|rain[\s-]jackets?", "raincoat"),
        (r"swim[\s-]?suits?", "swimsuit"),
        (r"sun[\s-]?glasses", "sunglasses"),
        (r"wine[\s-]glass(?:es)?", "wineglass"),
        (r"night[\s-]?lights?|night[\s-]?lamps?", "nightlight"),
        (r"whole[\s-]bean", "bean"),
        (r"extra[\s-]large", "xl"),
    ]
]

# A group's first word stands for all; groups of one say that a word is known.
_SEPARATE = _set("separate")
SYNONYMS = {
    word: group.split()[0]
    for line in _WORDS["synonyms"].strip().splitlines()
    for group in line.split("|")
    for word in group.split()
    if word not in _SEPARATE
}
SYNONYMS |= {"l": "large", "m": "medium", "s": "small", "crisps": "crisp"}

WRITTEN = {
    "gpu": ("graphics card", "video card"), "cpu": ("processing unit",),
    "motherboard": ("mainboard",), "laptop": ("notebook computer",),
    "psu": ("power supply",), "ssd": ("solid state",), "hdd": ("hard drive", "hard disk"),
    "soda": ("soft drink",), "tshirt": ("t-shirt", "tee shirt"),
    "ereader": ("e-reader", "e-book reader"), "ebike": ("e-bike", "electric bike"),
    "phone": ("smartphone", "cell phone", "mobile"), "earbud": ("earphone", "earpod"),
    "headphone": ("headset",), "torch": ("flashlight",), "backpack": ("rucksack", "knapsack"),
    "trashbag": ("rubbish bag", "garbage bag", "bin liner", "trash bag", "bin bag"),
    "punchbag": ("punching bag",), "sdcard": ("memory card", "sd card"), "bulb": ("light bulb",),
    "binder": ("ring binder",), "marker": ("felt tip",), "usbc": ("usb-c", "type-c"),
    "usba": ("usb-a",), "noisecancelling": ("noise canceling",), "stainless": ("stainless steel",),
    "raincoat": ("rain jacket",), "nightlight": ("night lamp",), "xl": ("extra large",),
}  # fmt: skip
"""How else the words of PHRASES are written, besides apart, with a hyphen or as one."""

COLOURS = _set("colours")

MATERIALS = _set("materials")

VARIANTS = _set("variants")
"""Words that, next to a model name, make another model of it."""

MARKS = _set("marks")
"""Shops' marks of a make or a quality: they name no thing."""

QUALIFIERS = COLOURS | MATERIALS | MARKS | _set("qualifiers")
"""Words that may stand behind the noun of a product name without changing what it is."""

THINGS = _set("things")
"""Nouns that, at the end of a name, say what a product is: a laptop *bag* is no laptop."""

ACCESSORIES = _set("accessories")
"""Nouns of things that are mostly made for another thing: behind it they name no look of it."""

IMITATIONS = _set("imitations")
"""Words that make an imitation or a part of a thing, wherever they stand in its name."""

LOOSE_CONTAINERS = _set("loose_containers")
"""Containers at the end of a name that do not change what is inside: a protein bar *box*."""

GENERIC = _set("generic")
"""Nouns in a request that need not occur in the product's name."""

HYPERNYMS = _set("hypernyms")
"""Kinds that a model name implies, so that the name need not hold the word."""

NATURAL_PAIRS = _set("natural_pairs")
"""Things of which one is called a pair."""

MASS = _set("mass")
"""Goods without a plural that come in numbers all the same."""

TALK = _set("talk")
"""Words that talk about an order and name no goods."""
