"""Uses mcp-manager with an MCP client for Python on each way in, and prints one JSON line per way. The argument is a JSON object with
the command of `stdio`, its arguments for each way, and the addresses of a running manager.
"""

import asyncio
import importlib.util
import json
import sys
from importlib.metadata import version

GIVEN = json.loads(sys.argv[1])


def found(module):
    return importlib.util.find_spec(module) is not None


def names(tools):
    return [tool.name for tool in getattr(tools, "tools", tools)]


async def use(client, only_echo):
    """Lists the tools, calls one, and receives progress where the client reports it."""
    listed = names(await client.list_tools())
    assert "echo__echo" in listed, listed
    assert ("other__echo" in listed) != only_echo, listed
    result = await client.call_tool("echo__echo", {"message": "hi"})
    assert result.content[0].text == "hi", result
    steps = []

    async def on_progress(progress, total=None, message=None):
        steps.append(progress)

    reporting = {"progress_handler" if PACKAGE == "fastmcp" else "progress_callback": on_progress}
    await client.call_tool("echo__progress", {"steps": 3}, **reporting)
    assert len(steps) == 3, steps


async def sdk_session(streams, only_echo):
    from mcp import ClientSession

    async with ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        await use(session, only_echo)


async def sdk_stdio(arguments, only_echo):
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    async with stdio_client(StdioServerParameters(command=GIVEN["command"], args=arguments)) as streams:
        await sdk_session(streams, only_echo)


async def sdk_sse(url, only_echo):
    from mcp.client.sse import sse_client

    async with sse_client(url) as streams:
        await sdk_session(streams, only_echo)


async def sdk_http(url, only_echo):
    from mcp.client import streamable_http

    connect = getattr(streamable_http, "streamablehttp_client", None) or streamable_http.streamable_http_client
    async with connect(url) as streams:
        await sdk_session(streams, only_echo)


async def fastmcp_with(transport, only_echo):
    from fastmcp import Client

    async with Client(transport) as client:
        await use(client, only_echo)


async def fastmcp_stdio(arguments, only_echo):
    from fastmcp.client import StdioTransport

    await fastmcp_with(StdioTransport(GIVEN["command"], arguments), only_echo)


async def fastmcp_sse(url, only_echo):
    from fastmcp.client.transports import SSETransport

    await fastmcp_with(SSETransport(url), only_echo)


async def fastmcp_http(url, only_echo):
    await fastmcp_with(url, only_echo)


if found("fastmcp"):
    PACKAGE, WAYS = "fastmcp", {"stdio": fastmcp_stdio, "sse": fastmcp_sse, "http": fastmcp_http}
else:
    PACKAGE, WAYS = "mcp", {"stdio": sdk_stdio, "sse": sdk_sse, "http": sdk_http}


def reason(error):
    """The errors of the tasks that a client runs come in a group."""
    errors = getattr(error, "exceptions", None)
    return reason(errors[0]) if errors else f"{type(error).__name__}: {error}"


for way in GIVEN["ways"]:
    row = {"client": f"{PACKAGE} (Python)", "version": version(PACKAGE), "way": way["name"]}
    try:
        work = WAYS[way["kind"]](way["target"], way["onlyEcho"])
        asyncio.run(asyncio.wait_for(work, 60))
        row["problem"] = None
    except BaseException as error:
        row["problem"] = reason(error)[:300]
    print(json.dumps(row), flush=True)
