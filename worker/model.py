"""The door to the model in the shape that smolagents asks for."""

from __future__ import annotations

from typing import Any

from smolagents.models import ChatMessage, MessageRole, Model

from models.door import Door
from models.records import Message
from models.text import find_code

_NO_CODE = "Thought: (the reply held no code block)"
_CUT = "Thought: (the reply was cut off before its code was complete; write shorter code)"


class DoorModel(Model):  # type: ignore[misc]
    """Asks the door and hands on exactly one code block; cut-off code is never handed on."""

    def __init__(self, door: Door) -> None:
        super().__init__(model_id=door.model)
        self._door = door

    def generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> ChatMessage:
        """One call; stop strings are not sent, they fire inside the reasoning of some models."""
        call = self._door.complete([_plain(m) for m in messages])
        code = find_code(call.text)
        if call.finish_reason == "length":
            content = _CUT
        elif code is None:
            content = _NO_CODE
        else:
            content = f"<code>\n{code}\n</code>"
        return ChatMessage(role=MessageRole.ASSISTANT, content=content)


def _plain(message: Any) -> Message:
    role = getattr(message.role, "value", message.role)
    content = message.content
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content)
    names = {"tool-call": "assistant", "tool-response": "user"}
    return {"role": names.get(str(role), str(role)), "content": str(content)}
