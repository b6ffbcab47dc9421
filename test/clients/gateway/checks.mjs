// Calls the gateway with unmodified language model clients for JavaScript, and prints a JSON line for each client, feature and provider,
// like checks.py.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { embed, generateText, jsonSchema, streamText, tool } from 'ai';
import { readFileSync } from 'node:fs';
import OpenAI, { RateLimitError } from 'openai';
import { checkOpenAiOnly } from './openai-only.mjs';

const { url, key, wires: WIRES } = JSON.parse(process.argv[2]);
const REPLY = 'Grüße aus 東京 🌍: Hello';
const CITY = 'Zürich 東京 🌍';
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
};
const HELLO = [{ role: 'user', content: 'Hello' }];
// The name of a Bedrock model determines whether it returns embeddings, and `good` does not.
const EMBEDDERS = WIRES.filter((wire) => wire !== 'anthropic' && wire !== 'bedrock');

function expect(found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`expected ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`);
}

const versionOf = (name) =>
  JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;

/** Runs a check for each provider and prints its result. */
async function check(client, name, feature, run, wires = WIRES) {
  for (const wire of wires) {
    let problem = null;
    try {
      await run(wire);
    } catch (error) {
      problem = `${error.name}: ${error.message}`.slice(0, 300);
    }
    console.log(JSON.stringify({ client, version: versionOf(name), feature, wire, problem }));
  }
}

async function openaiChecks() {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const chat = client.chat.completions;
  const run = (feature, one, wires) => check('openai (JavaScript)', 'openai', feature, one, wires);
  const declared = { type: 'function', function: { name: 'weather', parameters: SCHEMA } };

  await run('chat', async (wire) => {
    const { choices } = await chat.create({ model: `${wire}:good`, messages: HELLO });
    expect(choices[0].message.content, REPLY);
  });
  await run('stream', async (wire) => {
    const final = await chat.stream({ model: `${wire}:good`, messages: HELLO }).finalContent();
    expect(final, REPLY);
  });
  await run('tools', async (wire) => {
    const stream = chat.stream({ model: `${wire}:good`, messages: HELLO, tools: [declared] });
    const { choices } = await stream.finalChatCompletion();
    expect(JSON.parse(choices[0].message.tool_calls[0].function.arguments).city, CITY);
  });
  await run('custom tools', async (wire) => {
    const custom = { type: 'custom', custom: { name: 'shell' } };
    const chunks = await chat.create({
      model: `${wire}:good`,
      messages: HELLO,
      tools: [custom],
      stream: true,
    });
    const names = [];
    for await (const { choices } of chunks)
      for (const { delta } of choices)
        names.push(...(delta.tool_calls ?? []).map((call) => call.custom?.name));
    expect(names[0], 'shell');
  });
  await run('responses', async (wire) => {
    const { output_text: text } = await client.responses.create({ model: `${wire}:good`, input: 'Hello' });
    expect(text, REPLY);
    const stream = client.responses.stream({ model: `${wire}:good`, input: 'Hello' });
    expect((await stream.finalResponse()).output_text, REPLY);
  });
  await run('completions', async (wire) => {
    const { choices } = await client.completions.create({ model: `${wire}:good`, prompt: 'Hello' });
    expect(choices[0].text, REPLY);
  });
  await run(
    'embeddings',
    async (wire) => {
      const { data } = await client.embeddings.create({ model: `${wire}:good`, input: ['abc', 'de'] });
      expect(data.length, 2);
    },
    EMBEDDERS,
  );
  await run(
    'images',
    async (wire) => {
      const { data } = await client.images.generate({ model: `${wire}:good`, prompt: 'Hello' });
      expect(data.length, 1);
    },
    ['openai'],
  );
  await checkOpenAiOnly({ url, key, client, expect, only: (feature, one) => run(feature, one, ['openai']) });
  await run('errors', async (wire) => {
    const error = await chat
      .create({ model: `${wire}:rate-limited`, messages: HELLO })
      .catch((thrown) => thrown);
    expect([error instanceof RateLimitError, error.code], [true, 'provider_rate_limited']);
  });
}

async function anthropicChecks() {
  const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
  const body = (wire, more) => ({ model: `${wire}:good`, max_tokens: 99, messages: HELLO, ...more });
  const run = (feature, one) => check('@anthropic-ai/sdk', '@anthropic-ai/sdk', feature, one);

  await run('messages', async (wire) =>
    expect((await client.messages.create(body(wire))).content[0].text, REPLY),
  );
  await run('stream', async (wire) => expect(await client.messages.stream(body(wire)).finalText(), REPLY));
  await run('tools', async (wire) => {
    const tools = [{ name: 'weather', input_schema: SCHEMA }];
    const { content } = await client.messages.stream(body(wire, { tools })).finalMessage();
    expect(content.find(({ type }) => type === 'tool_use').input.city, CITY);
  });
  await run('count_tokens', async (wire) => {
    const { input_tokens: tokens } = await client.messages.countTokens({
      model: `${wire}:good`,
      messages: HELLO,
    });
    expect(tokens > 0, true);
  });
  await run('errors', async (wire) => {
    const error = await client.messages
      .create(body(wire, { model: `${wire}:fails-529` }))
      .catch((thrown) => thrown);
    expect(error.error.error.type, 'overloaded_error');
  });
}

async function googleChecks() {
  const { models } = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
  const run = (feature, one, wires) => check('@google/genai', '@google/genai', feature, one, wires);
  const ask = (wire, config) => ({ model: `${wire}:good`, contents: 'Hello', config });

  await run('generateContent', async (wire) => {
    const answer = await models.generateContent(
      ask(wire, { systemInstruction: 'Be kind.', maxOutputTokens: 99 }),
    );
    expect(answer.text, REPLY);
  });
  await run('stream', async (wire) => {
    let text = '';
    for await (const chunk of await models.generateContentStream(ask(wire))) text += chunk.text ?? '';
    expect(text, REPLY);
  });
  await run('tools', async (wire) => {
    const declared = { name: 'weather', parametersJsonSchema: SCHEMA };
    const answer = await models.generateContent(ask(wire, { tools: [{ functionDeclarations: [declared] }] }));
    expect(answer.functionCalls[0].args.city, CITY);
  });
  await run('countTokens', async (wire) => {
    expect((await models.countTokens(ask(wire))).totalTokens > 0, true);
  });
  await run(
    'embeddings',
    async (wire) => {
      const { embeddings } = await models.embedContent({ model: `${wire}:good`, contents: 'abc' });
      expect(embeddings[0].values[0], 3);
    },
    EMBEDDERS,
  );
  await run('errors', async (wire) => {
    const error = await models
      .generateContent({ ...ask(wire), model: `${wire}:rate-limited` })
      .catch((thrown) => thrown);
    expect(error.status, 429);
  });
}

async function aiChecks() {
  const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: key });
  const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey: key });
  const google = createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: key });
  const makers = {
    'openai.chat': (model) => openai.chat(model),
    'openai.responses': (model) => openai.responses(model),
    anthropic: (model) => anthropic(model),
    google: (model) => google(model),
  };
  const tools = { weather: tool({ description: 'd', inputSchema: jsonSchema(SCHEMA) }) };
  for (const [label, make] of Object.entries(makers)) {
    const run = (feature, one, wires) => check(`ai, ${label}`, 'ai', feature, one, wires);
    const options = (wire) => ({ model: make(`${wire}:good`), prompt: 'Hello', maxRetries: 0 });
    await run('generateText', async (wire) => expect((await generateText(options(wire))).text, REPLY));
    await run('streamText', async (wire) => expect(await streamText(options(wire)).text, REPLY));
    // The stand-in for OpenAI's Responses API calls no functions.
    const callers = WIRES.filter((wire) => label !== 'openai.responses' || wire !== 'openai');
    await run(
      'tools',
      async (wire) => {
        const { toolCalls } = await generateText({ ...options(wire), tools });
        expect(toolCalls[0].input.city, CITY);
      },
      callers,
    );
  }
  await check(
    'ai, openai.embedding',
    'ai',
    'embeddings',
    async (wire) => {
      const model = openai.embedding(`${wire}:good`);
      expect((await embed({ model, value: 'abc', maxRetries: 0 })).embedding.length, 3);
    },
    EMBEDDERS,
  );
}

await openaiChecks();
await anthropicChecks();
await googleChecks();
await aiChecks();
