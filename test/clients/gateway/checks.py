"""Calls the gateway with clients of language models, unmodified, and prints a JSON line for each client, feature and provider.

The first argument is a JSON object: `url` of the gateway, `key`, and `wires`, the types of its providers. Each provider has the
models `good`, which repeats what it is told, and the same model with tools, which calls each of them once.
"""

import json
import os
import sys
from importlib.metadata import version

GIVEN = json.loads(sys.argv[1])
URL, KEY, WIRES = GIVEN["url"], GIVEN["key"], GIVEN["wires"]
# The name of a model of Bedrock decides whether it embeds, and `good` does not.
EMBEDDERS = [wire for wire in WIRES if wire not in ("anthropic", "bedrock")]
for name in list(os.environ):
    if name.lower().endswith("_proxy") or name.endswith("_API_KEY"):
        del os.environ[name]
os.environ["LANGSMITH_TRACING"] = "false"

from pydantic import BaseModel  # noqa: E402

REPLY = "Grüße aus 東京 🌍: Hello"
CITY = "Zürich 東京 🌍"
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city", "days"],
}
HELLO = [{"role": "user", "content": "Hello"}]
CHAT_TOOL = {"type": "function", "function": {"name": "weather", "description": "d", "parameters": SCHEMA}}


class Weather(BaseModel):
    """The weather of a city."""

    city: str
    days: int


def expect(found, wanted):
    if found != wanted:
        raise AssertionError(f"expected {wanted!r}, found {found!r}")


def check(client, package, feature, run, wires=WIRES):
    """Runs a check for each provider and prints its result."""
    for wire in wires:
        problem = None
        try:
            run(wire)
        except BaseException as error:  # noqa: BLE001
            problem = f"{type(error).__name__}: {error}"[:300]
        row = {"client": client, "version": version(package), "feature": feature, "wire": wire, "problem": problem}
        print(json.dumps(row), flush=True)


def openai_checks():
    import openai

    client = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
    name = "openai (Python)"

    def model(wire):
        return f"{wire}:good"

    def chat(wire):
        answer = client.chat.completions.create(model=model(wire), messages=HELLO)
        expect(answer.choices[0].message.content, REPLY)

    def stream(wire):
        chunks = client.chat.completions.create(
            model=model(wire), messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
        text, usage = "", None
        for chunk in chunks:
            usage = chunk.usage or usage
            text += "".join(choice.delta.content or "" for choice in chunk.choices)
        expect((text, usage is not None), (REPLY, True))

    def tools(wire):
        first = client.chat.completions.create(model=model(wire), messages=HELLO, tools=[CHAT_TOOL]).choices[0].message
        expect(json.loads(first.tool_calls[0].function.arguments)["city"], CITY)
        result = {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": "sunny"}
        history = [*HELLO, first.model_dump(exclude_none=True), result]
        second = client.chat.completions.create(model=model(wire), messages=history, tools=[CHAT_TOOL], tool_choice="none")
        expect("sunny" in second.choices[0].message.content, True)

    def custom(wire):
        tool = {"type": "custom", "custom": {"name": "shell", "description": "d"}}
        call = client.chat.completions.create(model=model(wire), messages=HELLO, tools=[tool]).choices[0].message.tool_calls[0]
        expect((call.type, call.custom.name, len(call.custom.input) > 0), ("custom", "shell", True))

    def parsed(wire):
        answer = client.chat.completions.create(
            model=model(wire), messages=HELLO, response_format={"type": "json_schema", "json_schema": {"name": "w", "schema": SCHEMA}}
        )
        expect(answer.choices[0].message.content, REPLY)

    def responses(wire):
        expect(client.responses.create(model=model(wire), input="Hello").output_text, REPLY)
        with client.responses.stream(model=model(wire), input="Hello") as events:
            for _ in events:
                pass
            expect(events.get_final_response().output_text, REPLY)

    def completions(wire):
        expect(client.completions.create(model=model(wire), prompt="Hello").choices[0].text, REPLY)

    def embeddings(wire):
        expect(len(client.embeddings.create(model=model(wire), input=["abc", "de"]).data), 2)

    def transcriptions(wire):
        audio = ("a.mp3", bytes(range(256)) * 40, "audio/mpeg")
        heard = "Hello there, how are you?"
        for endpoint in (client.audio.transcriptions, client.audio.translations):
            expect(endpoint.create(model=model(wire), file=audio).text, heard)
        events = client.audio.transcriptions.create(model=model(wire), file=audio, stream=True)
        expect("".join(event.delta for event in events if event.type == "transcript.text.delta"), heard)

    def speech(wire):
        with client.audio.speech.with_streaming_response.create(model=model(wire), voice="alloy", input="Hello") as answer:
            expect(sum(len(piece) for piece in answer.iter_bytes()), 5000)

    def batches(wire):
        request = {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": {"model": model(wire), "messages": HELLO}}
        file = client.files.create(file=("b.jsonl", json.dumps(request).encode()), purpose="batch")
        expect(client.files.content(file.id).text.strip() != "", True)
        batch = client.batches.create(input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h")
        expect(client.batches.retrieve(batch.id).status, "validating")
        expect(batch.id in [one.id for one in client.batches.list(limit=5)], True)
        expect(client.batches.cancel(batch.id).status, "cancelling")
        note = client.files.create(file=("n.txt", b"note"), purpose="user_data", extra_body={"custom_llm_provider": wire})
        expect((note.id in [one.id for one in client.files.list()], client.files.delete(note.id).deleted), (True, True))

    def stored(wire):
        first = client.responses.create(model=model(wire), input="Hello", background=True)
        expect((first.status, client.responses.retrieve(first.id).id), ("queued", first.id))
        expect(client.responses.input_items.list(first.id).data[0].content, "Hello")
        expect(client.responses.cancel(first.id).status, "cancelled")
        client.responses.delete(first.id)

    def realtime(wire):
        with client.realtime.connect(model=model(wire)) as connection:
            expect(connection.recv().type, "session.created")
            connection.response.create()
            text = ""
            for event in connection:
                text += event.delta if event.type == "response.output_text.delta" else ""
                if event.type == "response.done":
                    break
            expect(text, "Hello there")

    def moderations(wire):
        expect(client.moderations.create(model=model(wire), input="an attack").results[0].flagged, True)

    def errors(wire):
        try:
            client.chat.completions.create(model=f"{wire}:rate-limited", messages=HELLO)
        except openai.RateLimitError as error:
            return expect(error.code, "provider_rate_limited")
        raise AssertionError("no error")

    check(name, "openai", "chat", chat)
    check(name, "openai", "stream", stream)
    check(name, "openai", "tools", tools)
    check(name, "openai", "custom tools", custom)
    check(name, "openai", "JSON schema", parsed)
    check(name, "openai", "responses", responses)
    check(name, "openai", "completions", completions)
    check(name, "openai", "embeddings", embeddings, EMBEDDERS)
    check(name, "openai", "moderations", moderations, ["openai"])
    check(name, "openai", "transcriptions and translations", transcriptions, ["openai"])
    check(name, "openai", "speech", speech, ["openai"])
    check(name, "openai", "files and batches", batches, ["openai"])
    check(name, "openai", "responses in the background", stored, ["openai"])
    check(name, "openai", "realtime", realtime, ["openai"])
    check(name, "openai", "errors", errors)


def azure_checks():
    import openai

    client = openai.AzureOpenAI(azure_endpoint=URL, api_key=KEY, api_version="2024-10-21", max_retries=0)
    name = "AzureOpenAI (Python)"

    def chat(wire):
        answer = client.chat.completions.create(model=f"{wire}:good", messages=HELLO)
        expect(answer.choices[0].message.content, REPLY)

    def stream(wire):
        chunks = client.chat.completions.create(model=f"{wire}:good", messages=HELLO, stream=True)
        expect("".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices), REPLY)

    def tools(wire):
        answer = client.chat.completions.create(model=f"{wire}:good", messages=HELLO, tools=[CHAT_TOOL])
        expect(json.loads(answer.choices[0].message.tool_calls[0].function.arguments)["city"], CITY)

    def responses(wire):
        expect(client.responses.create(model=f"{wire}:good", input="Hello").output_text, REPLY)

    def embeddings(wire):
        expect(len(client.embeddings.create(model=f"{wire}:good", input=["abc", "de"]).data), 2)

    check(name, "openai", "chat", chat)
    check(name, "openai", "stream", stream)
    check(name, "openai", "tools", tools)
    check(name, "openai", "responses", responses)
    check(name, "openai", "embeddings", embeddings, EMBEDDERS)


def anthropic_checks():
    import anthropic

    client = anthropic.Anthropic(base_url=URL, api_key=KEY, max_retries=0)
    name = "anthropic (Python)"
    tool = {"name": "weather", "description": "d", "input_schema": SCHEMA}

    def ask(wire, **more):
        return client.messages.create(**{"model": f"{wire}:good", "max_tokens": 99, "messages": HELLO, **more})

    def chat(wire):
        expect(ask(wire, system="Be kind.").content[0].text, REPLY)

    def stream(wire):
        with client.messages.stream(model=f"{wire}:good", max_tokens=99, messages=HELLO) as events:
            expect("".join(events.text_stream), REPLY)

    def tools(wire):
        first = ask(wire, tools=[tool])
        call = next(block for block in first.content if block.type == "tool_use")
        expect(call.input["city"], CITY)
        result = {"type": "tool_result", "tool_use_id": call.id, "content": "sunny"}
        history = [*HELLO, {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
        second = ask(wire, messages=history, tools=[tool], tool_choice={"type": "none"})
        expect("sunny" in second.content[0].text, True)

    def own_tools(wire):
        bash = {"type": "bash_20250124", "name": "bash"}
        search = {"type": "web_search_20250305", "name": "web_search"}
        first = ask(wire, tools=[bash, search])
        expect(next(block.name for block in first.content if block.type == "tool_use"), "bash")

    def count(wire):
        expect(client.messages.count_tokens(model=f"{wire}:good", messages=HELLO).input_tokens > 0, True)

    def errors(wire):
        try:
            ask(wire, model=f"{wire}:fails-529")
        except anthropic.APIStatusError as error:
            return expect(error.body["error"]["type"], "overloaded_error")
        raise AssertionError("no error")

    check(name, "anthropic", "messages", chat)
    check(name, "anthropic", "stream", stream)
    check(name, "anthropic", "tools", tools)
    check(name, "anthropic", "bash and web search", own_tools)
    check(name, "anthropic", "count_tokens", count)
    check(name, "anthropic", "errors", errors)


def google_checks():
    from google import genai
    from google.genai import errors as google_errors, types

    client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=URL))
    name = "google-genai (Python)"
    declared = types.Tool(
        function_declarations=[
            types.FunctionDeclaration(
                name="weather",
                description="d",
                parameters=types.Schema(type="OBJECT", properties={"city": types.Schema(type="STRING", nullable=True)}),
            )
        ]
    )

    def chat(wire):
        config = types.GenerateContentConfig(system_instruction="Be kind.", max_output_tokens=99, temperature=0.5)
        answer = client.models.generate_content(model=f"{wire}:good", contents="Hello", config=config)
        expect((answer.text, answer.usage_metadata.prompt_token_count > 0), (REPLY, True))

    def stream(wire):
        chunks = list(client.models.generate_content_stream(model=f"{wire}:good", contents="Hello"))
        expect(("".join(chunk.text or "" for chunk in chunks), len(chunks) > 2), (REPLY, True))

    def tools(wire):
        config = types.GenerateContentConfig(tools=[declared])
        first = client.models.generate_content(model=f"{wire}:good", contents="Hello", config=config)
        call = first.function_calls[0]
        expect(call.args["city"], CITY)
        result = types.Part(
            function_response=types.FunctionResponse(id=call.id, name=call.name, response={"result": "sunny"})
        )
        history = [
            types.Content(role="user", parts=[types.Part(text="Hello")]),
            first.candidates[0].content,
            types.Content(role="user", parts=[result]),
        ]
        off = types.ToolConfig(function_calling_config=types.FunctionCallingConfig(mode="NONE"))
        config = types.GenerateContentConfig(tools=[declared], tool_config=off)
        second = client.models.generate_content(model=f"{wire}:good", contents=history, config=config)
        expect("sunny" in second.text, True)

    def count(wire):
        expect(client.models.count_tokens(model=f"{wire}:good", contents="Hello").total_tokens > 0, True)

    def embeddings(wire):
        answer = client.models.embed_content(model=f"{wire}:good", contents="abc")
        expect([vector.values[0] for vector in answer.embeddings], [3])

    def models(wire):
        names = [model.name for model in client.models.list()]
        expect(f"models/{wire}:good" in names, True)

    def errors(wire):
        try:
            client.models.generate_content(model=f"{wire}:rate-limited", contents="Hello")
        except google_errors.APIError as error:
            return expect((error.code, error.status), (429, "RESOURCE_EXHAUSTED"))
        raise AssertionError("no error")

    check(name, "google-genai", "generateContent", chat)
    check(name, "google-genai", "stream", stream)
    check(name, "google-genai", "tools", tools)
    check(name, "google-genai", "countTokens", count)
    check(name, "google-genai", "embeddings", embeddings, EMBEDDERS)
    check(name, "google-genai", "models", models)
    check(name, "google-genai", "errors", errors)


def litellm_checks():
    import litellm

    litellm.suppress_debug_info = True
    doors = {"openai": f"{URL}/v1", "anthropic": URL}

    for door, base in doors.items():
        name = f"litellm, `{door}/`"

        def ask(wire, door=door, base=base, **more):
            return litellm.completion(
                model=f"{door}/{wire}:good", messages=HELLO, api_base=base, api_key=KEY, max_tokens=99, num_retries=0, **more
            )

        def chat(wire, ask=ask):
            expect(ask(wire).choices[0].message.content, REPLY)

        def stream(wire, ask=ask):
            chunks = ask(wire, stream=True)
            expect("".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices), REPLY)

        def tools(wire, ask=ask):
            call = ask(wire, tools=[CHAT_TOOL]).choices[0].message.tool_calls[0]
            expect(json.loads(call.function.arguments)["city"], CITY)

        check(name, "litellm", "chat", chat)
        check(name, "litellm", "stream", stream)
        check(name, "litellm", "tools", tools)

    def embeddings(wire):
        answer = litellm.embedding(model=f"openai/{wire}:good", input=["abc"], api_base=f"{URL}/v1", api_key=KEY)
        expect(len(answer.data), 1)

    check("litellm, `openai/`", "litellm", "embeddings", embeddings, EMBEDDERS)


def langchain_checks():
    from langchain_anthropic import ChatAnthropic
    from langchain_google_genai import ChatGoogleGenerativeAI
    from langchain_openai import ChatOpenAI

    makers = [
        ("ChatOpenAI", "langchain-openai", lambda model: ChatOpenAI(model=model, base_url=f"{URL}/v1", api_key=KEY, max_retries=0)),
        ("ChatAnthropic", "langchain-anthropic", lambda model: ChatAnthropic(model=model, base_url=URL, api_key=KEY, max_retries=0, max_tokens=99)),
        ("ChatGoogleGenerativeAI", "langchain-google-genai", lambda model: ChatGoogleGenerativeAI(model=model, base_url=URL, google_api_key=KEY, max_retries=1)),
    ]
    for label, package, make in makers:
        name = f"LangChain {label}"

        def text_of(message):
            return message.content if isinstance(message.content, str) else "".join(part.get("text", "") for part in message.content)

        def chat(wire, make=make):
            expect(text_of(make(f"{wire}:good").invoke("Hello")), REPLY)

        def stream(wire, make=make):
            expect("".join(text_of(chunk) for chunk in make(f"{wire}:good").stream("Hello")), REPLY)

        def tools(wire, make=make):
            calls = make(f"{wire}:good").bind_tools([Weather]).invoke("Hello").tool_calls
            expect(calls[0]["args"]["city"], CITY)

        check(name, package, "chat", chat)
        check(name, package, "stream", stream)
        check(name, package, "tools", tools)


def pydantic_checks():
    from pydantic_ai import Agent, ToolOutput
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.anthropic import AnthropicProvider
    from pydantic_ai.providers.google import GoogleProvider
    from pydantic_ai.providers.openai import OpenAIProvider

    models = {
        "OpenAIChatModel": lambda model: OpenAIChatModel(model, provider=OpenAIProvider(base_url=f"{URL}/v1", api_key=KEY)),
        "OpenAIResponsesModel": lambda model: OpenAIResponsesModel(model, provider=OpenAIProvider(base_url=f"{URL}/v1", api_key=KEY)),
        "AnthropicModel": lambda model: AnthropicModel(model, provider=AnthropicProvider(base_url=URL, api_key=KEY)),
        "GoogleModel": lambda model: GoogleModel(model, provider=GoogleProvider(base_url=URL, api_key=KEY)),
    }
    for label, make in models.items():
        name = f"pydantic-ai {label}"

        def chat(wire, make=make):
            expect(Agent(make(f"{wire}:good"), instructions="Be kind.").run_sync("Hello").output, REPLY)

        def structured(wire, make=make):
            agent = Agent(make(f"{wire}:good"), output_type=ToolOutput(Weather))
            expect(agent.run_sync("Hello").output.city, CITY)

        check(name, "pydantic-ai-slim", "chat", chat)
        # The stand-in of OpenAI's responses calls no functions.
        wires = [wire for wire in WIRES if label != "OpenAIResponsesModel" or wire != "openai"]
        check(name, "pydantic-ai-slim", "structured output", structured, wires)


def instructor_checks():
    import anthropic
    import instructor
    import openai

    of_openai = instructor.from_openai(openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0))
    of_anthropic = instructor.from_anthropic(anthropic.Anthropic(base_url=URL, api_key=KEY, max_retries=0))

    def with_openai(wire):
        answer = of_openai.chat.completions.create(model=f"{wire}:good", messages=HELLO, response_model=Weather, max_retries=0)
        expect(answer.city, CITY)

    def with_anthropic(wire):
        answer = of_anthropic.messages.create(
            model=f"{wire}:good", max_tokens=99, messages=HELLO, response_model=Weather, max_retries=0
        )
        expect(answer.city, CITY)

    check("instructor, from_openai", "instructor", "structured output", with_openai)
    check("instructor, from_anthropic", "instructor", "structured output", with_anthropic)


def any_llm_checks():
    import any_llm

    doors = {"openai": f"{URL}/v1", "anthropic": URL, "gemini": URL}
    for door, base in doors.items():
        name = f"any-llm, {door}"

        def ask(wire, door=door, base=base, **more):
            return any_llm.completion(
                model=f"{wire}:good", provider=door, messages=HELLO, api_base=base, api_key=KEY, max_tokens=99, **more
            )

        def chat(wire, ask=ask):
            expect(ask(wire).choices[0].message.content, REPLY)

        def stream(wire, ask=ask):
            expect("".join(c.choices[0].delta.content or "" for c in ask(wire, stream=True) if c.choices), REPLY)

        def tools(wire, ask=ask):
            call = ask(wire, tools=[CHAT_TOOL]).choices[0].message.tool_calls[0]
            expect(json.loads(call.function.arguments)["city"], CITY)

        check(name, "any-llm-sdk", "chat", chat)
        check(name, "any-llm-sdk", "stream", stream)
        check(name, "any-llm-sdk", "tools", tools)


ALL = [
    openai_checks,
    azure_checks,
    anthropic_checks,
    google_checks,
    litellm_checks,
    langchain_checks,
    pydantic_checks,
    instructor_checks,
    any_llm_checks,
]
for one in ALL:
    if len(sys.argv) < 3 or sys.argv[2] in one.__name__:
        one()
