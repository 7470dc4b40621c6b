"""The tools for other programs, by the Model Context Protocol. A door, and no power of its own.

Whoever comes through can do what their customer could do in the chat, and less where the token says so. Every call
takes the path of `agent.runs.calls`; a write is a proposal that the customer confirms in their own browser, and nothing
here can confirm. Only `protocol` imports the SDK, and only the first request to /mcp imports `protocol`.
"""
