"""Client and models of the company benchmarks, as the official SDK has them in `erc3.erc3`.

Of the SDK's client `dispatch` is known and that it has a named method for each endpoint; most of
their names were seen, the rest follow the pattern. Which arguments they take by position is
known of the ids, of `load_wiki` and of the message of `provide_agent_response`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from re import sub
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from core.erc3_client.own import company_models as models
from core.erc3_client.own.base import BaseClient
from core.erc3_client.own.company_models import *  # noqa: F403

if not TYPE_CHECKING:  # a checker follows the star, but no sum of lists
    __all__ = ["Erc3Client", *models.__all__]

_IDS = frozenset({"employee_id", "customer_id", "project_id", "entry_id"})
"""Names that callers use for a field that is `id` on the wire."""


def _method(exported: str) -> Callable[..., Any]:
    request: type[BaseModel] = getattr(models, exported)
    response = models.RESPONSES[request.model_fields["tool"].default]
    kind = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter("self", kind)]
    of_request = {name: field for name, field in request.model_fields.items() if name != "tool"}
    # Those that are needed first, and a limit last.
    order = sorted(of_request, key=lambda n: (not of_request[n].is_required(), n == "limit"))
    for field_name in order:
        field = of_request[field_name]
        default = Parameter.empty if field.is_required() else field.get_default()
        parameters.append(Parameter(field_name, kind, default=default, annotation=field.annotation))
    signature = Signature(parameters)
    name = sub(r"(?<!^)(?=[A-Z])", "_", exported.removeprefix("Req_")).lower()

    def call(self: Erc3Client, *values: Any, **named: Any) -> Any:
        if "id" in signature.parameters:
            named = {"id" if key in _IDS else key: value for key, value in named.items()}
        try:
            fields = signature.bind(self, *values, **named).arguments
        except TypeError as error:
            raise TypeError(f"{name}(): {error}") from None
        del fields["self"]
        return self.dispatch(request(**fields))

    call.__name__, call.__qualname__, call.__doc__ = name, f"Erc3Client.{name}", request.__doc__
    call.__signature__ = signature.replace(return_annotation=response)  # type: ignore[attr-defined]
    return call


class Erc3Client(BaseClient):
    """The company of one task; made by `ERC3.get_erc_client`.

    `dispatch` takes any request model, subclasses too. The named methods take the same fields as
    arguments; nested models may be dicts. All raise `ApiException` when the company refuses,
    `httpx.TransportError` when the network fails, and `ValidationError` for what no request can
    hold.
    """

    responses = models.RESPONSES

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]: ...


for _exported in models.REQUESTS:
    _named = _method(_exported)
    setattr(Erc3Client, _named.__name__, _named)
