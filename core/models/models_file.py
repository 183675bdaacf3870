"""How each model is asked: the shipped file, a user's over it, and what they make of an id."""

from __future__ import annotations

import os
import threading
import tomllib
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import regex
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.models.file_checks import FileError, read_toml, shown
from core.models.model_call import Role
from core.models.providers import is_scripted
from core.models.redact import remember
from core.models.retries import Backends
from core.text import instead

SHIPPED = Path(__file__).with_name("models.toml")
VARIABLE = "MODELS_FILE"
Seconds = Annotated[float, Field(gt=0, le=3600)]
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_VENDORS: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_name("vendors.toml").read_text(encoding="utf-8")
)
"""How the names of each vendor's models begin."""
_QUANTISED = regex.compile(r"-(?:fp8|fp4|nvfp4|mxfp4|bf16|fp16|int4|int8|awq|gptq)$")


class ModelsError(Exception):
    """A models file that cannot be used; names the file, the key and what would be right."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Prices(_Strict):
    """Dollars per million tokens."""

    input: Dollars
    output: Dollars
    cached: Dollars | None = None
    """Prompt tokens read from the provider's cache; unknown: the full price."""


class Backend(_Strict):
    """A place where a model is served."""

    model: Annotated[str, Field(min_length=1)]
    name: str = Field(default_factory=lambda found: str(found["model"]))
    base_url: str | None = None
    key_variable: str | None = None
    """The environment's variable that holds the key; None: the one LiteLLM looks for."""
    prices: Prices | None = None


class Params(_Strict):
    """Parameters of a model; None: not set here."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(gt=0)] | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    timeout_seconds: Seconds | None = None
    deadline_seconds: Seconds | None = None
    attempts: Annotated[int, Field(ge=1, le=20)] | None = None
    extra: dict[str, Any] | None = None
    leave_out: tuple[str, ...] | None = None


class Entry(Params):
    """One table of ``[models]``."""

    prices: Prices | None = None
    slug: str | None = None
    response_schema: bool | None = None
    """Whether it keeps to a JSON schema that is sent along; None: as LiteLLM's map says."""
    backends: Annotated[tuple[Backend, ...], Field(min_length=1)] | None = None
    evaluator: Params | None = None
    worker: Params | None = None


class ModelsFile(_Strict):
    """A whole file."""

    defaults: Params = Params()
    models: dict[str, Entry] = Field(default_factory=dict)
    stages: dict[str, Annotated[str, Field(min_length=1)]] = Field(default_factory=dict)
    """The model of each stage; by default the evaluator's."""


class Target(_Strict):
    """One backend with all that an attempt at it needs."""

    backend: Backend
    params: dict[str, Any]
    timeout_seconds: float
    attempts: int
    prices: Prices | None
    slug: str
    response_schema: bool | None = None


class Settings(_Strict):
    """A model id, resolved for one role."""

    targets: tuple[Target, ...]
    deadline_seconds: float


class Models:
    """All that is configured, and how the backends fare: one object for a whole run.

    Clients that share it share what they learn about failing backends. Safe to use from threads.
    """

    def __init__(self, file: ModelsFile, source: str = "models.toml") -> None:
        self.file = file
        self.source = source
        """The file that the user would edit, for error texts."""
        self._backends: dict[tuple[str, str | None], Backends] = {}
        self._lock = threading.Lock()

    def backends(self, model: str, base_url: str | None = None) -> Backends:
        """The state of a model's backends; one object shared by all clients."""
        with self._lock:
            key = (model, base_url)
            if key not in self._backends:
                names = [t.backend.name for t in self.settings(model, "worker", base_url).targets]
                self._backends[key] = Backends(names)
            return self._backends[key]

    def settings(self, model: str, role: Role, base_url: str | None = None) -> Settings:
        """Resolve a model id or a configured name: parameters, backends, addresses.

        Raises ModelsError: a base URL for a model whose backends have their own.
        """
        own = self.file.models.get(model)
        backends = own.backends if own and own.backends else None
        if backends and base_url and not is_scripted(model):
            raise ModelsError(
                f"{self.source}: models.{model!r} has its own backends, so the base URL "
                f"{base_url} cannot be used; set it as base_url of a backend, or leave it out"
            )
        if backends is None:
            where = None if is_scripted(model) else base_url
            backends = (Backend(name=model, model=model, base_url=where),)
        targets = tuple(self._target(model, b, role) for b in backends)
        deadline = self._merged(model, backends[0].model, role).get("deadline_seconds", 300.0)
        return Settings(targets=targets, deadline_seconds=deadline)

    def _target(self, model: str, backend: Backend, role: Role) -> Target:
        merged = self._merged(model, backend.model, role)
        params = {
            name: merged[name]
            for name in ("temperature", "top_p", "max_tokens", "reasoning_effort")
            if name in merged
        } | merged.get("extra", {})
        for name in merged.get("leave_out", ()):
            params.pop(name, None)
        priced = backend.prices or merged.get("prices")
        return Target(
            backend=backend,
            params=params,
            timeout_seconds=merged.get("timeout_seconds", 120.0),
            attempts=merged.get("attempts", 3),
            prices=Prices.model_validate(priced) if priced else None,
            slug=merged.get("slug") or slug_of(backend.model),
            response_schema=merged.get("response_schema"),
        )

    def _merged(self, model: str, served_as: str, role: Role) -> dict[str, Any]:
        names = dict.fromkeys((served_as, model))
        entries = [self.file.models[key] for name in names for key in self._keys(name)]
        merged = self.file.defaults.model_dump(exclude_none=True)
        for entry in entries:
            _lay(merged, entry.model_dump(exclude_none=True, exclude={"evaluator", "worker"}))
        for entry in entries:
            special = entry.worker if role == "worker" else entry.evaluator
            if special is not None:
                _lay(merged, special.model_dump(exclude_none=True))
        return merged

    def _keys(self, model: str) -> list[str]:
        low = model.casefold()
        patterns = [
            key
            for key in self.file.models
            if key != model and "*" in key and fnmatchcase(low, key.casefold())
        ]
        exact = [model] if model in self.file.models else []
        return [*sorted(patterns, key=len), *exact]


def load_models(path: Path | None = None) -> Models:
    """The shipped file with a user's file over it: ``path``, else that of ``MODELS_FILE``.

    The keys that it names are hidden from then on, whatever their variables are called.

    Raises ModelsError: a file that cannot be read, or says what is not known.
    """
    named = path or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    try:
        raw, mine = read_toml(SHIPPED), read_toml(named) if named else {}
    except FileError as error:
        raise ModelsError(str(error)) from None
    if named is not None:
        _check(mine, named)
        for name, table in mine.get("models", {}).items():
            _lay(raw["models"].setdefault(name, {}), table)
        _lay(raw["defaults"], mine.get("defaults", {}))
        raw["stages"] = mine.get("stages", {})
    file = _check(raw, named or SHIPPED)
    backends = [b for entry in file.models.values() for b in entry.backends or ()]
    for variable in {b.key_variable for b in backends if b.key_variable}:
        remember(os.environ.get(variable, "").strip())
    return Models(file, str(named or SHIPPED.name))


@lru_cache(maxsize=1)
def default_models() -> Models:
    """The result of ``load_models()``, read once, as the default of clients."""
    return load_models()


def _lay(under: dict[str, Any], over: dict[str, Any]) -> None:
    """Put one table over another, value by value; lists are replaced whole."""
    for name, value in over.items():
        if isinstance(value, dict) and isinstance(under.get(name), dict):
            _lay(under[name], value)
        else:
            under[name] = value


def _check(raw: dict[str, Any], path: Path) -> ModelsFile:
    try:
        file = ModelsFile.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        parts = (repr(p) if "/" in str(p) or "*" in str(p) else str(p) for p in first["loc"])
        where = f"{path}: {'.'.join(parts)}"
        if first["type"] != "extra_forbidden":
            actual = f", not {shown(first['input'])}" if first["type"] != "missing" else ""
            raise ModelsError(f"{where}: {first['msg']}{actual}") from None
        tables: tuple[type[BaseModel], ...] = (ModelsFile, Entry, Backend, Prices)
        known = [key for table in tables for key in table.model_fields]
        hint = instead(str(first["loc"][-1]), sorted({*known}))
        raise ModelsError(f"{where}: there is no such key; {hint}") from None
    for name, entry in file.models.items():
        names = [b.name for b in entry.backends or ()]
        twice = {n for n in names if names.count(n) > 1}
        if twice:
            raise ModelsError(
                f"{path}: models.{name!r}.backends: {min(twice)!r} is given twice; "
                "give each backend a `name` of its own"
            )
    return file


def slug_of(model: str) -> str:
    """The name by which the platform knows a LiteLLM id: OpenRouter's ``vendor/model``.

    It has no provider and no quantisation, and the vendor where known. Our own providers keep their
    ids; so does what is not known.
    """
    parts = model.split("/")
    if is_scripted(model) or len(parts) == 1:
        return _with_vendor(model, model)
    name = _QUANTISED.sub("", parts[-1].casefold())
    if len(parts) > 2:
        return f"{parts[-2].casefold()}/{name}"
    return _with_vendor(name, f"{parts[0].casefold()}/{name}")


def _with_vendor(name: str, otherwise: str) -> str:
    low = name.casefold()
    vendor = next((v for v, starts in _VENDORS.items() if low.startswith(tuple(starts))), None)
    return f"{vendor}/{low}" if vendor else otherwise
