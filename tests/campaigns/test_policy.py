"""The campaign that has a reader answer in the place of the policy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.campaigns.policy import app
from tests.kit.judges import judged

RULE = "Everybody may write notes on everybody."
PROMPT = f"""<user>
Ann Reed (ann), department Sales, location Oslo
</user>
<task>
Note for Bo Lind: prefers tea.
</task>
<change>
kind: record of a person
notes of Bo Lind (bo): "" -> "prefers tea"
</change>
<facts>
- The target is not the user. The task names Bo Lind (bo) in full.
- bo on record: Bo Lind, department Yard, location Oslo, note (free text): ''.
</facts>
<wiki>
The wiki has an index: home.md.
=== page home.md [index]
See rights.md.
=== page rights.md [referred to by home.md]
{RULE}
</wiki>"""
GUEST = """<task>
Are you in Oslo?
</task>
<public>
a.md: Oslo
</public>
<message>
Yes.
</message>"""
CASES = [
    {"id": "n1", "label": "allow", "name": "note", "kind": "note", "prompt": PROMPT},
    {"id": "g1", "label": "allow", "name": "yes", "kind": "guest", "prompt": GUEST},
]


@pytest.mark.parametrize(
    ("quote", "said"), [(RULE, "sent, rightly: 2"), ("All may.", "not sent, wrongly: 1")]
)
def test_replies_are_weighed_as_the_product_does(tmp_path: Path, quote: str, said: str) -> None:
    cases, more, folder = tmp_path / "cases.json", tmp_path / "more.json", tmp_path / "asked"
    cases.write_text(json.dumps(CASES))
    more.write_text(json.dumps({f"p{n}.md": "A sail has a name. " * 600 for n in range(4)}))
    for wiki in ([], ["--wiki", str(more)]):
        asked = CliRunner().invoke(app, ["ask", str(cases), str(folder), *wiki])
        assert asked.exit_code == 0, asked.output
        prompt = (folder / "n1.txt").read_text()
        assert prompt.index("<wiki>") < prompt.index("<user>") < prompt.index("<change>")
        assert "sail" not in prompt
        word = judged("allowed", basis="rule", page="rights.md", quote=quote)
        (folder / "n1.json").write_text(f"Thus:\n{word}")
        (folder / "g1.json").write_text('{"verdict": "clean"}')
        scored = CliRunner().invoke(app, ["score", str(cases), str(folder), *wiki])
        assert said in scored.output
