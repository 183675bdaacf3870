"""Puts a run together: command line, platform, pack, models, run folder, session."""

from launch.providers import register_providers

register_providers()
