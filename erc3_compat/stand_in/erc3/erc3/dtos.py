"""Stands in for the SDK's module of the same name."""

from erc3_compat.own import company_models
from erc3_compat.own.company_models import *  # noqa: F403
from erc3_compat.stand_in.ours import lacking

__all__ = company_models.__all__
__getattr__ = lacking("erc3.erc3.dtos")
