"""Questions about skills and wills."""

from __future__ import annotations

from dataclasses import dataclass

from workshop.generators.company.ask import (
    NOT_FOUND,
    OK,
    Answer,
    Need,
    View,
    links,
    need,
    on_project,
)
from workshop.generators.company.questions.people import loads, ranked
from workshop.generators.company.records import Employee


def _levels(people: list[Employee], name: str) -> dict[str, int]:
    return {one.id: one.levels[name] for one in people if name in one.levels}


@dataclass(frozen=True, slots=True)
class BestToSend:
    """Who is best in a skill of those who are not where they would be sent."""

    skill: str
    location: str

    def needs(self, view: View) -> list[Need]:
        """Others' levels are not for everybody."""
        return need("levels")

    def answer(self, view: View) -> Answer:
        """All that tie; whoever is there already cannot be sent."""
        people = [one for one in view.firm.employees if one.location != self.location]
        there = [one for one in view.firm.employees if one.location == self.location]
        best, told = ranked(view, _levels(people, self.skill), True)
        _, also = ranked(view, _levels(there, self.skill), True)
        return Answer(
            f"{self.skill}, not at {self.location}: {told}. Already there: {also}.",
            links={"employee": links(best)},
        )


@dataclass(frozen=True, slots=True)
class Strong:
    """Who is strong in some levels, with `location` only of those there."""

    names: tuple[str, ...]
    location: str | None = None

    def needs(self, view: View) -> list[Need]:
        """Others' levels are not for everybody."""
        return need("levels")

    def answer(self, view: View) -> Answer:
        """Everybody with all of them at the threshold or above."""
        least = view.policy.strong
        people = [
            one
            for one in view.firm.employees
            if self.location in (None, one.location)
            and all(one.levels.get(name, 0) >= least for name in self.names)
        ]
        told = "; ".join(
            f"{one.name} {'/'.join(str(one.levels[name]) for name in self.names)}" for one in people
        )
        return Answer(
            f"Strong is {least} or more; {'/'.join(self.names)}: {told or 'nobody'}.",
            OK if people else NOT_FOUND,
            links={"employee": links(one.id for one in people)},
        )


@dataclass(frozen=True, slots=True)
class ExpertOutside:
    """Who is best in a skill of those who are not on a project."""

    skill: str
    project: str

    def needs(self, view: View) -> list[Need]:
        """Others' levels are not for everybody."""
        return need("levels", project=view.firm.projects[self.project])

    def answer(self, view: View) -> Answer:
        """All that tie, and the project."""
        project = view.firm.projects[self.project]
        outside = [one for one in view.firm.employees if one.id not in project.members]
        inside = [one for one in view.firm.employees if one.id in project.members]
        best, told = ranked(view, _levels(outside, self.skill), True)
        _, team = ranked(view, _levels(inside, self.skill), True)
        return Answer(
            f"{self.skill} outside of {project.name}: {told}. On the team: {team}.",
            links={"employee": links(best), "project": links([project.id])},
        )


@dataclass(frozen=True, slots=True)
class Weakest:
    """Who of a department, all of whom have a skill, has it least."""

    skill: str
    department: str

    def needs(self, view: View) -> list[Need]:
        """Others' levels are not for everybody."""
        return need("levels")

    def answer(self, view: View) -> Answer:
        """All that tie."""
        people = [one for one in view.firm.employees if one.department == self.department]
        least, told = ranked(view, _levels(people, self.skill), False)
        return Answer(f"{self.skill}, lowest first: {told}.", links={"employee": links(least)})


@dataclass(frozen=True, slots=True)
class FreestKeen:
    """Of those with a strong will the least busy, of these the keenest; others as free are fine."""

    will: str

    def needs(self, view: View) -> list[Need]:
        """Others' levels and loads are not for everybody."""
        return need("levels", "load")

    def answer(self, view: View) -> Answer:
        """The keenest of the freest have to be named, the others of the freest may be."""
        least = view.policy.strong
        keen = [one for one in view.firm.employees if one.levels.get(self.will, 0) >= least]
        freest, told = ranked(view, loads(view, keen), False)
        free = [view.firm.employees[who] for who in freest]
        best, wills = ranked(view, _levels(free, self.will), True)
        return Answer(
            f"{len(keen)} have {self.will} at {least} or more; loads: {told}. "
            f"Of the {len(freest)} freest, levels: {wills}.",
            links={"employee": links(best, freest)},
        )


@dataclass(frozen=True, slots=True)
class Coaches:
    """Who can coach somebody, by the sum of the levels that they are ahead."""

    person: str

    def needs(self, view: View) -> list[Need]:
        """Others' levels are not for everybody."""
        return need("levels")

    def answer(self, view: View) -> Answer:
        """The best have to be named, whoever is ahead in anything may be."""
        who = view.firm.employees[self.person]
        ahead = {
            one.id: sum(max(0, one.skills.get(s, 0) - level) for s, level in who.skills.items())
            for one in view.firm.employees
            if one.id != who.id
        }
        best, told = ranked(view, ahead, True)
        none = sum(not total for total in ahead.values())
        return Answer(
            f"Sums of levels ahead of {who.name}: {told}; {none} are ahead in nothing.",
            links={"employee": links(best, (one for one, total in ahead.items() if total))},
        )


@dataclass(frozen=True, slots=True)
class TeamWill:
    """Which will a team has most of, all members' levels added up."""

    project: str

    def needs(self, view: View) -> list[Need]:
        """Levels of the team, which its Lead may see."""
        return on_project(view, self.project, "levels")

    def answer(self, view: View) -> Answer:
        """The id of the one will with the largest sum. Raises `LookupError` for a tie."""
        project = view.firm.projects[self.project]
        team = [view.firm.employees[who] for who in project.members]
        sums = {will: sum(one.wills.get(will, 0) for one in team) for will in view.firm.wills}
        best = [will for will, total in sums.items() if total == max(sums.values())]
        if len(best) > 1 or any(best[0] in will for will in sums if will != best[0]):
            raise LookupError(f"{project.name}: {best} tie")
        told = ", ".join(f"{will} {total}" for will, total in sums.items())
        others = [will for will in sums if will != best[0] and will not in best[0]]
        return Answer(
            f"Sums on {project.name}: {told}.",
            links={"project": links([project.id])},
            contains=(best[0],),
            excludes=tuple(others),
        )


@dataclass(frozen=True, slots=True)
class MyGaps:
    """Which skills the asker does not have at all."""

    def needs(self, view: View) -> list[Need]:
        """One's own levels."""
        return need("own_levels")

    def answer(self, view: View) -> Answer:
        """The ids of those, and none of the others."""
        assert view.requester
        gaps = [skill for skill in view.firm.skills if skill not in view.requester.skills]
        return Answer(
            f"{view.requester.name} has {', '.join(view.requester.skills)}; "
            f"missing: {', '.join(gaps)}.",
            contains=tuple(gaps),
            excludes=tuple(view.requester.skills),
        )
