"""What a provider's refusal is called, what follows it, and what the person is told to do."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest
import regex

from core.models import errors
from core.models.errors import FOLLOWS, hint_of, kind_of
from core.models.model_call import ErrorKind
from tests.test_patterns import Found, hostile_texts, is_linear

NO_CLASS: frozenset[str] = frozenset()
BILLS = "Details: https://provider.example/settings/billing"
Said = str | dict[str, str]
ROWS: list[tuple[int, Said, str]] = [
    # What the model itself wrote could not be read.
    (400, {"message": "The model called a tool", "code": "tool_use_failed"}, "bad_answer"),
    (400, {"message": "Output is no JSON", "code": "json_validate_failed"}, "bad_answer"),
    (400, {"message": "x", "failed_generation": ""}, "bad_answer"),
    (400, "Unexpected token 200012 while expecting start token 200006", "bad_answer"),
    (400, "Parsing failed. The text that the model generated could not be parsed.", "bad_answer"),
    (500, "error parsing tool call: raw='{', err=unexpected end of JSON input", "bad_answer"),
    (500, "Failed to parse input at pos 31: <|channel|>commentary", "bad_answer"),
    (422, "The generated text is not valid JSON", "bad_answer"),
    # What we sent could not be read.
    (400, "Failed to parse the request body as JSON: messages[0].content", "bad_request"),
    (400, "Invalid schema for response_format 'Step': could not be parsed", "bad_request"),
    (400, "Unsupported value: 'temperature' does not support 0.0", "bad_request"),
    (400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'", "bad_request"),
    (418, "I'm a teapot", "bad_request"),
    # Too many tokens for an answer.
    (400, "max_tokens is too large: 9000. At most 4096 completion tokens", "max_tokens"),
    (400, "`max_tokens` must be less than or equal to `8192`", "max_tokens"),
    (400, "max_tokens: 9000 > 8192, the maximum allowed number of output tokens", "max_tokens"),
    (400, "Range of max_tokens should be [1, 8192]", "max_tokens"),
    (400, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", "max_tokens"),
    (400, "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum "
     "context length is 4096 tokens and your request has 313 input tokens", "max_tokens"),
    # Too many tokens altogether.
    (400, "This model's maximum context length is 8192 tokens. However, you requested 9313 tokens "
     "(3313 in the messages, 6000 in the completion)", "context_window"),
    (400, "prompt is too long: 210000 tokens > 200000 maximum", "context_window"),
    (400, "max_tokens must be at least 1, got -313", "context_window"),
    (400, {"message": "x", "code": "context_length_exceeded"}, "context_window"),
    (413, "Payload too large", "context_window"),
    (429, "Request too large for this model on tokens per minute (TPM): Limit 6000, Requested "
     "9313, please reduce your message size", "context_window"),
    (500, "Context size has been exceeded.", "context_window"),
    (500, "the request exceeds the available context size, try increasing it", "context_window"),
    (500, "the upstream server took too long", "overload"),
    # A filter.
    (400, {"message": "The prompt was refused", "code": "content_filter"}, "content_filter"),
    (403, "Your input was flagged", "content_filter"),
    (400, {"message": "Bad input", "code": "data_inspection_failed"}, "content_filter"),
    # Limits that pass, whatever they link to.
    (429, "Slow down", "rate_limit"),
    (429, f"Limit of tokens per day reached. Please try again in 4.32s. {BILLS}", "rate_limit"),
    (429, f"Rate limit reached for requests. {BILLS}", "rate_limit"),
    (429, "You exceeded your current quota, please check your plan and billing details. Please "
     "retry in 9.5s.", "rate_limit"),
    (429, {"message": "You exceeded your current quota", "status": "RESOURCE_EXHAUSTED"},
     "rate_limit"),
    (429, "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000", "rate_limit"),
    (429, "Too many tokens per minute", "rate_limit"),
    (403, "You have exceeded a rate limit: too many requests", "rate_limit"),
    # Empty accounts.
    (402, "This request requires more credits, or fewer max_tokens", "quota"),
    (429, "You exceeded your current quota, please check your plan and billing details.", "quota"),
    (429, {"message": "Please pay", "type": "insufficient_quota"}, "quota"),
    (429, "Your account is not active, please check your billing details", "quota"),
    (429, {"message": "余额不足或无可用资源包,请充值", "code": "1113"}, "quota"),
    (400, "Your credit balance is too low to access the API", "quota"),
    (403, "Your team has used all available credits", "quota"),
    # The key and what it may do.
    (401, "Incorrect API key provided", "authentication"),
    (400, "API key not valid. Please pass a valid API key.", "authentication"),
    (400, "Request timestamp is too old", "clock"),
    (401, "signature is in the future", "clock"),
    (403, "the signature has expired", "clock"),
    (403, "Key limit exceeded (monthly limit)", "forbidden"),
    (403, "Country, region, or territory not supported", "forbidden"),
    (403, "Your project does not have access to model x", "forbidden"),
    (451, "Unavailable for legal reasons", "forbidden"),
    # The model.
    (404, "The page does not exist", "not_found"),
    (410, "Gone", "not_found"),
    (400, "The model `x-9` has been decommissioned", "not_found"),
    (400, "model x-9 does not exist", "not_found"),
    # What passes.
    (408, "", "timeout"), (504, "gateway", "timeout"),
    (409, "Conflict", "overload"), (424, "CUDA error", "overload"), (425, "Too early", "overload"),
    (498, "Flex capacity exceeded", "overload"), (499, "cancelled", "overload"),
    (500, "", "overload"), (502, "", "overload"), (503, "", "overload"), (520, "", "overload"),
    (529, "Overloaded", "overload"), (503, "model is loading", "overload"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "said", "kind"), ROWS)
def test_what_an_answered_refusal_is_called(status: int, said: Said, kind: str) -> None:
    fields = list((said if isinstance(said, dict) else {"message": said}).items())
    assert kind_of(NO_CLASS, status, fields, answered=True) == kind


@pytest.mark.parametrize(
    ("names", "status", "said", "kind"),
    [
        ({"ContextWindowExceededError", "BadRequestError"}, 400, "no words", "context_window"),
        ({"ContextWindowExceededError"}, 400, "max_tokens is too large: 9", "max_tokens"),
        ({"ContentPolicyViolationError", "BadRequestError"}, 400, "no words", "content_filter"),
        ({"JSONSchemaValidationError"}, 500, "no words", "bad_answer"),
        ({"RateLimitError"}, 429, "no words", "rate_limit"),
        ({"RateLimitError"}, 400, "the prompt has 14290 words of which 3 are odd", "bad_request"),
        ({"AuthenticationError"}, 400, "no words", "authentication"),
        ({"PermissionDeniedError"}, 403, "no words", "forbidden"),
        ({"NotFoundError"}, 404, "no words", "not_found"),
    ],
)
def test_classes_decide_unless_they_are_known_to_be_wrong(
    names: set[str], status: int, said: str, kind: str
) -> None:
    assert kind_of(names, status, [("message", said)], answered=True) == kind


@pytest.mark.parametrize(
    ("names", "status", "said", "kind"),
    [
        ({"ConnectError", "APIConnectionError"}, 500, "", "network"),
        ({"ReadError"}, 500, "", "network"),
        ({"APITimeoutError"}, 408, "", "timeout"),
        ({"JSONDecodeError"}, 500, "", "bad_answer"),
        ({"InternalServerError"}, 500, "Expecting value: line 1", "bad_answer"),
        ({"BadRequestError"}, 422, "no valid response", "bad_answer"),
        ({"BadRequestError"}, 400, "LLM Provider NOT provided", "not_found"),
        ({"AuthenticationError"}, None, "The api_key must be set", "authentication"),
        ({"RateLimitError"}, None, "", "rate_limit"),
        (set(), None, "", "network"),
    ],
)
def test_what_is_called_what_no_server_has_answered(
    names: set[str], status: int | None, said: str, kind: str
) -> None:
    assert kind_of(names, status, [("", said)], answered=False) == kind


def test_every_kind_has_a_step_that_follows_it() -> None:
    assert set(FOLLOWS) == set(get_args(ErrorKind))


@pytest.mark.parametrize(
    ("follows", "kinds"),
    [
        ("again", {"rate_limit", "overload", "network", "timeout", "bad_answer"}),
        ("next", {"bad_request", "context_window", "max_tokens", "content_filter"}),
        ("pause", {"not_found"}),
        ("lost", {"authentication", "forbidden", "clock", "proxy", "quota"}),
        ("end", {"missing"}),
    ],
)
def test_what_follows_each_kind(follows: str, kinds: set[str]) -> None:
    assert {kind for kind, step in FOLLOWS.items() if step == follows} == kinds


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("authentication", "", "MY_KEY"),
        ("forbidden", "Key limit exceeded", "raise the limit"),
        ("forbidden", "Country not supported", "does not serve this place"),
        ("forbidden", "no access to model x", "allow this model"),
        ("forbidden", "", "MY_KEY"),
        ("quota", "or fewer max_tokens", "lower max_tokens"),
        ("quota", "Insufficient balance", "top it up"),
        ("max_tokens", "max_tokens is too large", "lower max_tokens"),
        ("max_tokens", "max_tokens must be at least 16", "raise max_tokens"),
        ("bad_request", "Unsupported value: 'temperature'", "leave_out"),
        ("context_window", "", "larger context window"),
    ],
)
def test_the_hint_fits_what_the_provider_said(kind: Any, text: str, words: str) -> None:
    assert words in hint_of(kind, text, "MY_KEY")


def test_what_no_person_can_mend_has_no_hint() -> None:
    assert hint_of("overload", "busy", "MY_KEY") == ""
    assert hint_of(None, "", "MY_KEY") == ""


@pytest.mark.promise("what comes from outside is bounded")
def test_every_pattern_of_the_table_takes_a_linear_time() -> None:
    table = tomllib.loads(Path(errors.__file__).with_name("errors.toml").read_text("utf-8"))
    texts = [t for row in table["rule"] for name in ("says", "unless") for t in row.get(name, ())]
    texts += [row["says"] for row in table["hint"] if "says" in row]
    found = [Found(text, regex.compile(text, regex.IGNORECASE), False) for text in texts]
    slow = [f.where for f in found if not all(is_linear(f, *t) for t in hostile_texts(f.pattern))]
    assert len(found) > 80
    assert slow == []
