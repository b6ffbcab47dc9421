"""Sends malformed messages of a server to an MCP client for Python, and prints the counts of outcomes as one JSON line. The argument is
the path of a JSON file with the addresses and the messages.
"""

import asyncio
import importlib.util
import json
import sys
from importlib.metadata import version

with open(sys.argv[1], encoding="utf-8") as file:
    GIVEN = json.load(file)
PATIENCE = 3
IS_FASTMCP = importlib.util.find_spec("fastmcp") is not None
PACKAGE = "fastmcp" if IS_FASTMCP else "mcp"


def connected(url):
    if IS_FASTMCP:
        from fastmcp import Client

        return Client(url)
    from mcp import Client

    return Client(url)


def error_types():
    """The errors with which the client reports those of a server."""
    types = []
    for module, name in [("mcp", "McpError"), ("mcp", "MCPError")]:
        try:
            types.append(getattr(importlib.import_module(module), name))
        except (ImportError, AttributeError):
            pass
    return tuple(types)


ERRORS = error_types()


async def ending_of(client, answer):
    try:
        call = client.call_tool("answer", {"answer": answer})
        await asyncio.wait_for(call, PATIENCE)
        return "returned", ""
    except ERRORS as error:
        return ("errors" if str(error) else "failed"), f"{type(error).__name__}: {error}"
    except BaseException as error:
        # fastmcp reports a result of a failed tool as an error.
        if type(error).__name__ == "ToolError":
            return "returned", ""
        return "failed", f"{type(error).__name__}: {error}"


async def call_all():
    counts, examples, client = {"returned": 0, "errors": 0, "failed": 0}, [], None
    for answer in GIVEN["answers"]:
        if client is None:
            client = connected(GIVEN["results"])
            await client.__aenter__()
        ending, why = await ending_of(client, answer)
        counts[ending] += 1
        if ending != "failed":
            continue
        if len(examples) < 3:
            examples.append(f"{json.dumps(answer)[:120]}: {why[:200]}")
        # The connection can be unusable after a failure of the client itself.
        try:
            await client.__aexit__(None, None, None)
        except BaseException:
            pass
        client = None
    if client is not None:
        await client.__aexit__(None, None, None)
    return counts, examples


async def lists_good(url):
    async with connected(url) as client:
        tools = await asyncio.wait_for(client.list_tools(), PATIENCE)
        return any(tool.name == "good" for tool in getattr(tools, "tools", tools))


async def count_lists():
    lists = 0
    for url in GIVEN["tools"]:
        try:
            lists += await lists_good(url)
        except BaseException:
            pass
    return lists


async def main():
    counts, examples = await call_all()
    lists = await count_lists()
    print(
        json.dumps(
            {
                "client": "fastmcp" if IS_FASTMCP else "MCP SDK for Python",
                "version": version(PACKAGE),
                "target": GIVEN["target"],
                **counts,
                "lists": lists,
                "lostLists": len(GIVEN["tools"]) - lists,
                "examples": examples,
            }
        )
    )


asyncio.run(main())
