"""The stage ``guest``: the playbook for who is not signed in, which knows no people at all."""

from __future__ import annotations

from company_tools.stages.entities import PROMPTS, CompanyStage
from core.ledger import Ledger
from core.models.model_client import ModelClient
from core.models.prompts import prompt
from core.runs.task import Finding, StageInput


class Guest(CompanyStage):
    """Tells a guest's strategy what may be said; without a model, and nothing to anybody else."""

    def run(
        self, task: StageInput, briefing: str, client: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """The playbook."""
        with self._environment.reading(ledger) as (session, _):
            guest = session.known_guest
        return Finding(text=prompt(PROMPTS, "guest", self._texts) if guest else "")
