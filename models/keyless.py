"""Our own providers in LiteLLM's shape: a function from prompt to reply, and counted usage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from litellm.llms.custom_llm import CustomLLM, CustomLLMError
from litellm.types.utils import Choices, ModelResponse, PromptTokensDetailsWrapper, Usage
from litellm.types.utils import Message as LiteLLMMessage

from models.records import Message
from models.tokens import count_messages, count_text


class Keyless(CustomLLM):  # type: ignore[misc, unused-ignore]
    """A provider that answers by calling a function, without network or key."""

    def __init__(self, reply: Callable[[str, list[Message]], str]) -> None:
        super().__init__()
        self._reply = reply

    def completion(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """LiteLLM's entry; a LookupError of the function becomes a 404, which is not retried."""
        model = str(kwargs["model"])
        messages = [{"role": m["role"], "content": _text(m["content"])} for m in kwargs["messages"]]
        try:
            text = self._reply(model, messages)
        except LookupError as error:
            raise _error(404, str(error)) from error
        except Exception as error:
            # Deterministic: the same prompt would fail again, so it must not look like a 500.
            raise _error(400, f"{type(error).__name__}: {error}") from error
        prompt, said = count_messages(messages), count_text(text)
        response: ModelResponse = kwargs["model_response"]
        answer = LiteLLMMessage(role="assistant", content=text)
        response.choices = [Choices(index=0, finish_reason="stop", message=answer)]
        response.model = model
        usage = Usage(
            prompt_tokens=prompt,
            completion_tokens=said,
            total_tokens=prompt + said,
            prompt_tokens_details=PromptTokensDetailsWrapper(cached_tokens=0),
        )
        response.usage = usage  # type: ignore[attr-defined, unused-ignore]
        return response


def _error(status: int, text: str) -> Exception:
    made: Exception = CustomLLMError(status, text)  # type: ignore[no-untyped-call, unused-ignore]
    return made


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content)
