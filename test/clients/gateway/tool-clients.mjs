// Calls the gateway with unmodified clients, whose requests have a tool of an MCP server that the gateway runs. Prints a JSON line for each
// client, provider and mode, with the problem if there is one.
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

const { url, keys, providers } = JSON.parse(process.argv[2]);
const TEXT = 'Stamp the notes in /tmp/desk/notes.txt';
const DONE = 'Done: the notes are edited and stamped.';
const RESULT = 'The notes are stamped.';

function expect(found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`expected ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`);
}

const server = { type: 'mcp', server_label: 'desk' };

const CLIENTS = {
  'openai chat': async ({ model, key, stream }) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
    const request = { model, messages: [{ role: 'user', content: TEXT }], tools: [server] };
    if (!stream) {
      const { choices } = await client.chat.completions.create(request);
      expect(
        choices[0].message.mcp_calls.map(({ output }) => output),
        [RESULT],
      );
      return expect(choices[0].message.content, DONE);
    }
    const runner = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } });
    const { choices, usage } = await runner.finalChatCompletion();
    expect(usage.total_tokens > 0, true);
    expect(choices[0].message.content, DONE);
  },
  'openai responses': async ({ model, key, stream }) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
    const request = {
      model,
      input: TEXT,
      tools: [{ ...server, server_url: undefined, require_approval: 'never' }],
    };
    const response = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    expect(response.output_text, DONE);
    const calls = response.output.filter(({ type }) => type === 'mcp_call');
    expect(
      calls.map(({ output }) => output),
      [RESULT],
    );
  },
  anthropic: async ({ model, key, stream }) => {
    const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
    const request = {
      model,
      max_tokens: 1000,
      messages: [{ role: 'user', content: TEXT }],
      mcp_servers: [{ type: 'url', name: 'desk' }],
      betas: ['mcp-client-2025-11-20'],
    };
    const message = stream
      ? await client.beta.messages.stream(request).finalMessage()
      : await client.beta.messages.create(request);
    expect(message.content.at(-1).text, DONE);
    const results = message.content.filter(({ type }) => type === 'mcp_tool_result');
    expect(
      results.map(({ content }) => content[0].text),
      [RESULT],
    );
    const uses = message.content.filter(({ type }) => type === 'mcp_tool_use');
    expect(
      uses.map(({ server_name, name }) => [server_name, name]),
      [['desk', 'stamp']],
    );
  },
  'google genai': async ({ model, key, stream }) => {
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
    const request = { model, contents: TEXT, config: { tools: [{ mcpServers: [{ name: 'desk' }] }] } };
    if (!stream) {
      const response = await client.models.generateContent(request);
      expect(response.functionCalls, undefined);
      return expect(response.text, DONE);
    }
    let text = '';
    for await (const chunk of await client.models.generateContentStream(request)) text += chunk.text ?? '';
    expect(text, DONE);
  },
};

for (const [client, run] of Object.entries(CLIENTS)) {
  for (const provider of providers) {
    for (const stream of [false, true]) {
      const name = `${client} ${provider} ${stream ? 'stream' : 'whole'}`;
      const id = name.replaceAll(' ', '-');
      let problem = null;
      try {
        await run({ model: `${provider}:${id}`, key: keys[id], stream });
      } catch (error) {
        problem = `${error.name}: ${error.message}`.slice(0, 300);
      }
      console.log(JSON.stringify({ client, provider, stream, id, problem }));
    }
  }
}
