"""`make check-mcp`: the protocol's official conformance suite and inspector against the served site.

The suite asks for tools, resources and prompts of its own by name. So it runs twice: against the site as it is, with
what needs nothing of its own, and against the same site, mount, guard and middleware with those things added
(`fixtures`). What fails on purpose stands with its reason in `expected-<revision>.yml`.
"""
