"""Client and models of the company benchmarks, as the official SDK has them in `erc3.erc3`.

Of the SDK's client `dispatch` is known and that it has a named method for each endpoint; most of
their names were seen, the rest follow the pattern. Which arguments they take by position is
known of the ids, of `load_wiki` and of the message of `provide_agent_response`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from re import sub
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from core.erc3_client.own import company_models as models
from core.erc3_client.own.base import BaseClient
from core.erc3_client.own.company_models import *  # noqa: F403

if not TYPE_CHECKING:  # a checker follows the star, but no sum of lists
    __all__ = ["Erc3Client", *models.__all__]

Response = TypeVar("Response", bound=BaseModel)
_IDS = frozenset({"employee_id", "customer_id", "project_id", "entry_id"})
"""What callers name an id that is plain `id` on the wire."""


def _method(request: type[BaseModel], response: type[Response]) -> Callable[..., Response]:
    """A named method that takes a request's fields as arguments, those that it needs first."""
    name = sub(r"(?<!^)(?=[A-Z])", "_", request.__name__.removeprefix("Req_")).lower()
    signature = _signature(request)

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


def _signature(request: type[BaseModel]) -> Signature:
    kind = Parameter.POSITIONAL_OR_KEYWORD
    fields = {name: field for name, field in request.model_fields.items() if name != "tool"}
    parameters = [Parameter("self", kind)]
    for name in sorted(fields, key=lambda name: (not fields[name].is_required(), name == "limit")):
        field = fields[name]
        default = Parameter.empty if field.is_required() else field.get_default()
        parameters.append(Parameter(name, kind, default=default, annotation=field.annotation))
    return Signature(parameters)


class Erc3Client(BaseClient):
    """The company of one task; made by `ERC3.get_erc_client`.

    `dispatch` takes any request model, subclasses too. The named methods take the same fields as
    arguments; nested models may be dicts. All raise `ApiException` when the company refuses,
    `httpx.TransportError` when the network fails, and `ValidationError` for what no request can
    hold.
    """

    who_am_i = _method(models.Req_WhoAmI, models.Resp_WhoAmI)
    provide_agent_response = _method(
        models.Req_ProvideAgentResponse, models.Resp_ProvideAgentResponse
    )
    list_employees = _method(models.Req_ListEmployees, models.Resp_ListEmployees)
    search_employees = _method(models.Req_SearchEmployees, models.Resp_SearchEmployees)
    get_employee = _method(models.Req_GetEmployee, models.Resp_GetEmployee)
    update_employee_info = _method(models.Req_UpdateEmployeeInfo, models.Resp_UpdateEmployeeInfo)
    list_customers = _method(models.Req_ListCustomers, models.Resp_ListCustomers)
    get_customer = _method(models.Req_GetCustomer, models.Resp_GetCustomer)
    search_customers = _method(models.Req_SearchCustomers, models.Resp_CustomerSearchResults)
    list_projects = _method(models.Req_ListProjects, models.Resp_ListProjects)
    get_project = _method(models.Req_GetProject, models.Resp_GetProject)
    search_projects = _method(models.Req_SearchProjects, models.Resp_ProjectSearchResults)
    update_project_team = _method(models.Req_UpdateProjectTeam, models.Resp_UpdateProjectTeam)
    update_project_status = _method(models.Req_UpdateProjectStatus, models.Resp_UpdateProjectStatus)
    log_time_entry = _method(models.Req_LogTimeEntry, models.Resp_LogTimeEntry)
    update_time_entry = _method(models.Req_UpdateTimeEntry, models.Resp_TimeEntryUpdated)
    get_time_entry = _method(models.Req_GetTimeEntry, models.Resp_GetTimeEntry)
    search_time_entries = _method(models.Req_SearchTimeEntries, models.Resp_SearchTimeEntries)
    time_summary_by_project = _method(
        models.Req_TimeSummaryByProject, models.Resp_TimeSummaryByProject
    )
    time_summary_by_employee = _method(
        models.Req_TimeSummaryByEmployee, models.Resp_TimeSummaryByEmployee
    )
    list_wiki = _method(models.Req_ListWiki, models.Resp_ListWiki)
    load_wiki = _method(models.Req_LoadWiki, models.Resp_LoadWiki)
    search_wiki = _method(models.Req_SearchWiki, models.Resp_SearchWiki)
    update_wiki = _method(models.Req_UpdateWiki, models.Resp_UpdateWiki)
    list_wiki_pages, load_wiki_page, update_wiki_page = list_wiki, load_wiki, update_wiki
    """Their older names."""

    def dispatch(self, request: BaseModel) -> Any:
        """Send a request to the endpoint of its class, or to that which its `tool` names.

        Raises TypeError for a model of no endpoint, else what the named methods raise.
        """
        return self._dispatched(request, models.RESPONSES)
