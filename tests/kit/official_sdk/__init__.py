"""A package ``erc3`` with the shapes that the official SDK 1.2.0 is known to have.

It is written from what was published of the SDK, over ``requests``. Its models are our own but for
those of the store's answers that differ; it shares no transport with our own client. Put this
folder on the path and set ``ERC3_CLIENT=sdk``.
"""
