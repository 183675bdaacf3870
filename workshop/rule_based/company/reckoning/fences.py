"""The sentences of a wiki that may stand in a change's way; worker code, as `office` is."""

import re

RESTRICTING = (
    r"\b(?:only|alone|nobody|no one|none|nothing|never|not|nor|neither|except|excepted|unless|without|instead"
    r"|goes? to|but for|other than|reserved|solely|exclusively|cannot|refused?|forbidden|denied|denies"
    r"|prohibited|stays? with|remains? with|lies? with|leave to|left to|hands? off|stop(?:s|ped)?|ends?"
    r"|frozen|freeze|ban(?:ned)?|until|consent|approv\w+|confirm\w*|sign(?:s|ed)? off|agree\w*|permission"
    r"|first ask|asks? first|at most|maximum|no)\b|n['’]t\b|\b(?:is|are) \w+(?: only)? by\b(?! \w+ing\b)|\bby the\b"
)
NUMBERED = r"\b(?:tickets?|codes?|numbers?|reference|cost cent(?:re|er)s?)\b"


def fences(pages: dict[str, str], noun: str) -> list[str]:
    """Sentences that restrict something that ``noun`` names, and those that speak of tickets."""
    found: list[str] = []
    for page in pages.values():
        told = [s.strip() for s in re.split(r"(?<=[.!?])\s+|\n+", page) if s.strip()]
        for at, said in enumerate(told):
            restricts = re.search(RESTRICTING, said, re.I) and re.search(noun, said, re.I)
            numbered = re.search(NUMBERED, said, re.I) and re.search(
                r"\b(?:needs?|must|have to|has to|requires?|required|carr(?:y|ies)|names?|named|with|against|quotes?|under)\b",
                said, re.I,
            )  # fmt: skip
            if restricts:
                found.append(said)
            elif numbered:
                found.append(" ".join(told[at : at + 2]))
    return list(dict.fromkeys(found))


def untold(pages: dict[str, str], told: list[str]) -> str:
    """The pages that a briefing does not tell whole, the shortest first, in at most 8,000 characters."""
    text = ""
    for path in sorted(pages.keys() - set(told), key=lambda x: len(pages[x])):
        page = f"== {path} ==\n{pages[path].strip()}\n"
        text += page if len(text) + len(page) <= 8_000 else ""
    return text
