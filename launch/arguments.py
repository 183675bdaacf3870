"""The options of a run, as the command line shows them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer


class TraceKind(StrEnum):
    """Where traces can go; a list of options takes no Literal."""

    MLFLOW = "mlflow"
    OTEL = "otel"


Benchmark = Annotated[str, typer.Option(help="Benchmark id on the platform.")]
Pack = Annotated[
    Path | None,
    typer.Option(help="A store-pack/1 file for the embedded platform; default: the bundled pack."),
]
Task = Annotated[
    list[str] | None, typer.Option(help="Run only this spec, outside of a session. Repeatable.")
]
Evaluator = Annotated[
    str | None,
    typer.Option(
        help="LiteLLM id of the model that decides [EVALUATOR_MODEL; playbook/store, or "
        "playbook/next-step with that strategy]."
    ),
]
Worker = Annotated[
    str | None,
    typer.Option(help="LiteLLM id of the worker's model [WORKER_MODEL; playbook/store]."),
]
Real = Annotated[
    bool, typer.Option("--real", help="Use the platform of ERC3_API_KEY and ERC3_BASE_URL.")
]
Yes = Annotated[
    bool,
    typer.Option(
        "--yes", help="With --real: submit without asking, where every task was played to its end."
    ),
]
SubmitAsIs = Annotated[
    bool,
    typer.Option(
        "--submit-as-is",
        help="With --real: submit without asking, also where tasks failed for reasons outside of "
        "the agent, were cut off by a limit, or were never played.",
    ),
]
Breaker = Annotated[
    int,
    typer.Option(
        min=0,
        help="Start no further task after so many in a row that ended for the same reason outside "
        "of the agent; 0: never.",
    ),
]
NoPreflight = Annotated[
    bool,
    typer.Option("--no-preflight", help="With --real: ask no model before the session begins."),
]
Jobs = Annotated[int, typer.Option(min=1, max=64, help="Tasks side by side.")]
Strategy = Annotated[
    Literal["evaluator-worker", "next-step"],
    typer.Option(help="Evaluator and code worker, or one model that picks one typed tool a step."),
]
PromptTokens = Annotated[
    int,
    typer.Option(min=3_000, help="With next-step: tokens of a prompt; older steps are shortened."),
]
MaxTurns = Annotated[
    int | None,
    typer.Option(min=1, max=50, help="Turns for a task [7; 30 steps with next-step]."),
]
Out = Annotated[Path, typer.Option(help="Folder for run folders.")]
AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print the results as JSON, and nothing else, to standard output."),
]
Workspace = Annotated[str, typer.Option(help="Workspace of the session.")]
Name = Annotated[str | None, typer.Option(help="Name of the session.")]
Architecture = Annotated[str | None, typer.Option(help="Architecture of the session.")]
Flag = Annotated[
    list[str] | None,
    typer.Option(
        help="Flag of the session; free text, sent as it is. The platform's own are "
        "compete_accuracy, compete_budget, compete_speed and compete_local. Repeatable."
    ),
]
RequireWall = Annotated[
    bool,
    typer.Option(
        "--require-wall",
        help="Refuse to run where the sandbox has no wall of the operating system.",
    ),
]
Fork = Annotated[
    Path | None,
    typer.Option(help="A run folder: go on from a --turn of its --task, on the embedded one."),
]
Turn = Annotated[
    int | None, typer.Option(min=1, help="With --fork: the first turn that is taken anew.")
]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug", help="Stop at each tool call of the worker's code and ask; needs a terminal."
    ),
]
Models = Annotated[
    Path | None, typer.Option(help="Settings of models (TOML) over the shipped ones [MODELS_FILE].")
]
Record = Annotated[
    Path | None, typer.Option(help="Record every exchange with a model into this new file.")
]
Replay = Annotated[
    Path | None, typer.Option(help="Answer every exchange with a model from this recorded file.")
]
Resume = Annotated[
    Path | None, typer.Option(help="A run folder: go on with that run where it was cut off.")
]
Force = Annotated[
    bool,
    typer.Option(
        "--force", help="With --resume: go on although pack, model or prompt is another one."
    ),
]
Trace = Annotated[
    list[TraceKind] | None,
    typer.Option(
        help="Write a trace of every task: mlflow (MLFLOW_TRACKING_URI) or otel (OTEL_*). "
        "Needs the extra of that name. Repeatable."
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", help="Show no progress and no table, only errors."),
]
MaxSeconds = Annotated[float | None, typer.Option(min=0, help="Seconds for the run.")]
MaxTokens = Annotated[
    int | None, typer.Option(min=0, help="Tokens, prompt and completion, for the run.")
]
MaxDollars = Annotated[float | None, typer.Option(min=0, help="Dollars for the run.")]
TaskSeconds = Annotated[float | None, typer.Option(min=0, help="Seconds for a task.")]
TaskTokens = Annotated[int | None, typer.Option(min=0, help="Tokens for a task.")]
TaskDollars = Annotated[float | None, typer.Option(min=0, help="Dollars for a task.")]
Patience = Annotated[
    float, typer.Option(min=0, help="Seconds for which an outage of the platform is waited for.")
]
NoCalls = Annotated[bool, typer.Option("--no-calls", help="Ask no model, spend nothing.")]
