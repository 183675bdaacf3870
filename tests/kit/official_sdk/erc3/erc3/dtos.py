"""The company's models; of the SDK's, those that were seen have these fields."""

from core.erc3_client.own.company_models import *  # noqa: F403
