"""The commands of this room: a run, the doctor, and the simulator behind its own command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from launch.options import BRAINS, DoctorOptions, Options, check
from launch.record_command import takes

if TYPE_CHECKING:
    from lab.invitation import Invitation


def invitation() -> Invitation:
    """The benchmarks that the lab can play."""
    from lab.invitation import Invitation
    from launch.kits import KITS

    return Invitation(KITS, default="store", brains=BRAINS)


@takes(Options)
def run(options: Options) -> int:
    """Run a benchmark session and show its scores."""
    check(options)
    from launch.run import start

    return start(options)


@takes(DoctorOptions, only=("evaluator", "worker", "models", "as_json", "no_calls"))
def doctor(options: DoctorOptions) -> int:
    """Check what is set up, and say how to mend what is not."""
    from launch.doctor import doctor as examined

    return examined(options)


def serve(context: typer.Context) -> None:
    """Serve a pack on loopback, as the platform does."""
    _simulator(context)


def generate(context: typer.Context) -> None:
    """Write a pack of fresh scenarios to standard output."""
    _simulator(context)


def _simulator(context: typer.Context) -> None:
    from simulator.cli import main

    raise typer.Exit(main([str(context.info_name), *context.args]))
