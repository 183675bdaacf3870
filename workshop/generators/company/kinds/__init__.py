"""The kinds of tasks, by topic: each has its texts, who may ask it, its answer and why."""

from workshop.generators.company.kinds import changing, facts, reading, sets
from workshop.generators.company.task import TaskKind

_TOPICS = (reading, sets, facts, changing)
KINDS = {
    one.name: one for topic in _TOPICS for one in vars(topic).values() if isinstance(one, TaskKind)
}
"""Every kind by its name, in the order of the modules."""
