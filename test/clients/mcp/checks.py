"""Calls the tool of a served model with MCP clients for Python, over stdio and streamable HTTP, and prints one JSON line per
call. The argument is a JSON object with the path of the executable, its cache folder, the URL of its endpoint, and the expected
label of the text. It runs in an environment with one version of one client, and old versions have fewer transports.
"""

import asyncio
import importlib.util
import json
import os
import sys
from importlib.metadata import version

SERVED = json.loads(sys.argv[1])
ARGUMENTS = {"inputs": [SERVED["text"]]}
ENVIRONMENT = {**os.environ, "ENCODERFILE_CACHE_DIR": SERVED["cache"]}


def found(module):
    return importlib.util.find_spec(module) is not None


def check_result(result):
    text = json.loads(result.content[0].text)
    assert text["results"][0]["predicted_label"] == SERVED["label"], text
    structured = getattr(result, "structuredContent", None) or getattr(result, "structured_content", None)
    assert structured is None or structured == text, structured


def check_error(error):
    assert "Cannot tokenize empty string" in str(error), repr(error)


async def call_session(session):
    """The calls of the official SDK."""
    answer = await session.initialize()
    info = getattr(answer, "serverInfo", None) or answer.server_info
    assert info.name == "encoderfile", info
    await session.send_ping()
    tools = (await session.list_tools()).tools
    assert [tool.name for tool in tools] == ["run_encoder"], tools
    check_result(await session.call_tool("run_encoder", ARGUMENTS))
    try:
        await session.call_tool("run_encoder", {"inputs": [""]})
    except Exception as error:
        check_error(error)
    else:
        raise AssertionError("an empty text was accepted")
    for refused in [session.list_prompts, session.list_resources]:
        try:
            await refused()
        except Exception as error:
            assert "Method not found" in str(error), repr(error)
        else:
            raise AssertionError("a list was answered that the server does not have")


async def sdk_stdio():
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=SERVED["command"], args=["mcp"], env=ENVIRONMENT)
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await call_session(session)


async def sdk_http():
    from mcp import ClientSession
    from mcp.client import streamable_http

    connect = getattr(streamable_http, "streamablehttp_client", None) or streamable_http.streamable_http_client
    async with connect(SERVED["url"]) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await call_session(session)


async def call_client(client):
    """The calls of clients that negotiate by themselves."""
    async with client:
        tools = await client.list_tools()
        tools = getattr(tools, "tools", tools)
        assert [tool.name for tool in tools] == ["run_encoder"], tools
        check_result(await client.call_tool("run_encoder", ARGUMENTS))
        try:
            await client.call_tool("run_encoder", {"inputs": [""]})
        except Exception as error:
            check_error(error)
        else:
            raise AssertionError("an empty text was accepted")


async def client_http():
    from mcp import Client

    await call_client(Client(SERVED["url"]))


async def fastmcp_http():
    from fastmcp import Client

    await call_client(Client(SERVED["url"]))


async def fastmcp_stdio():
    from fastmcp import Client
    from fastmcp.client import StdioTransport

    await call_client(Client(StdioTransport(SERVED["command"], ["mcp"], env=ENVIRONMENT)))


if found("fastmcp"):
    PACKAGE, CHECKS = "fastmcp", [("stdio", "Client", fastmcp_stdio), ("/mcp", "Client", fastmcp_http)]
else:
    PACKAGE, CHECKS = "mcp", [("stdio", "ClientSession", sdk_stdio)]
    if found("mcp.client.streamable_http"):
        CHECKS.append(("/mcp", "ClientSession", sdk_http))
    if found("mcp.client.client"):
        CHECKS.append(("/mcp", "Client", client_http))


def reason(error):
    """The errors of the tasks that a client runs come in a group."""
    errors = getattr(error, "exceptions", None)
    return reason(errors[0]) if errors else f"{type(error).__name__}: {error}"


for door, call, function in CHECKS:
    row = {"client": f"{PACKAGE} (Python)", "version": version(PACKAGE), "door": door, "call": call}
    try:
        asyncio.run(asyncio.wait_for(function(), 60))
        row["problem"] = None
    except BaseException as error:
        row["problem"] = reason(error)[:300]
    print(json.dumps(row), flush=True)
