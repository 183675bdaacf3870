"""How much of what a question needs a search of the wiki finds: recall at 5, stream by stream.

Run with `python workshop/perf/wiki_recall.py`. Of 100 questions over the two companies of the
bundled pack (workshop/perf/wiki_questions.json, 23 of them in other languages than the pages) it is
known which pages answer them. A search gives parts of pages; a question's recall is the share of
its pages among those of the first five parts. `--embedding` names the model of the vectors, as the
option of a run does; `--misses` lists what all streams together do not find.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT))

from cli.embedding import vectors_of  # noqa: E402
from company_tools.vectors import Vectors  # noqa: E402 - found only now
from company_tools.wiki_chunks import Index  # noqa: E402
from company_tools.wiki_streams import search  # noqa: E402

QUESTIONS = PROJECT / "workshop" / "perf" / "wiki_questions.json"
PACK = PROJECT / "workshop" / "simulator" / "company" / "packs" / "bundled.json"
STREAMS = ("regex", "keywords", "vectors", "")
AT = 5


class Question(NamedTuple):
    """A question, and the pages that answer it."""

    company: str
    question: str
    pages: Sequence[str]


def questions() -> list[Question]:
    """All questions, as they stand in the file."""
    return [Question(**one) for one in json.loads(QUESTIONS.read_text(encoding="utf-8"))]


def indexes() -> list[dict[str, Index]]:
    """The wiki of each bundled company, its pages in both orders: ties are broken by the order."""
    companies = json.loads(PACK.read_text(encoding="utf-8"))["companies"]
    wikis = {name: [*company["wiki"].items()] for name, company in companies.items()}
    return [{name: Index(dict(w[::step])) for name, w in wikis.items()} for step in (1, -1)]


def recall(
    wikis: Sequence[Mapping[str, Index]], asked: Question, stream: str, vectors: Vectors | None
) -> float:
    """The share of a question's pages among the pages of the first parts."""
    shares = []
    for index in (wiki[asked.company] for wiki in wikis):
        found = search(index, [asked.question], vectors, stream)
        pages = {index.chunks[at].page for at, _ in found.ranked[:AT]}
        shares.append(len(pages & set(asked.pages)) / len(asked.pages))
    return statistics.mean(shares)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--embedding", default="auto", help="auto, none, local or a LiteLLM id")
    parser.add_argument("--misses", action="store_true", help="list what is not found")
    options = parser.parse_args()
    vectors = vectors_of(options.embedding, None)
    wikis, asked = indexes(), questions()
    for stream in STREAMS:
        if stream == "vectors" and vectors is None:
            print(f"{stream:<10} not configured")
            continue
        found = [recall(wikis, one, stream, vectors) for one in asked]
        print(f"{stream or 'together':<10} {100 * statistics.mean(found):5.1f} %")
    if options.misses:
        for one, share in zip(asked, found, strict=True):
            if share < 1:
                print(f"{share:.1f} {one.company}: {one.question} -> {', '.join(one.pages)}")


if __name__ == "__main__":
    main()
