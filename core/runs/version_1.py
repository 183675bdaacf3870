"""Records of ``run-results/1`` in the words of ``run-results/2``.

The first version knew one benchmark, whose words it used. They stand here because files with
them are kept by users; nothing else may use them.
"""

from __future__ import annotations

from typing import Any

from core.erc3_client.bounds import known_score

FORMAT = "run-results/1"
HARM_NAME = "wrong checkout"
GROUPS = ("buy", "refuse")
VERDICTS = ("purchased", "declined")
RENAMED = {"checkouts": "acts", "store_requests": "requests", "wanted": "group"}


def task_of_2(record: dict[str, Any], passed_at: float) -> dict[str, Any]:
    """A task's record as the second version has it; one that is of it already comes back as is.

    ``passed_at``: the score from which on an act was as it was wanted.
    """
    if record.get("outcome") not in VERDICTS and not RENAMED.keys() & record.keys():
        return record
    found = {RENAMED.get(key, key): value for key, value in record.items()}
    if record.get("outcome") in VERDICTS:
        found |= {"outcome": "finished", "verdict": record["outcome"]}
    acts, score = found.get("acts", 0), known_score(record.get("score"))
    if isinstance(acts, int):
        found["harm"] = False if not acts else None if score is None else score < passed_at
    return found


def run_of_2(record: dict[str, Any]) -> dict[str, Any]:
    """The whole of a results file, its tasks left as they are."""
    if record.get("format") != FORMAT:
        return record
    found = record | {"format": "run-results/2", "harm_name": HARM_NAME}
    totals, tasks = record.get("totals"), record.get("tasks")
    if isinstance(totals, dict):
        kept = {k: v for k, v in totals.items() if k not in (*GROUPS, "wrong_checkouts")}
        sent = [t.get("store_requests", 0) for t in tasks or () if isinstance(t, dict)]
        found["totals"] = kept | {
            "groups": {name: totals[name] for name in GROUPS if name in totals},
            "harm": totals.get("wrong_checkouts", 0),
            "requests": sum(one for one in sent if isinstance(one, int)),
        }
    return found
