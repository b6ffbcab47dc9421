import { createFrameSplitter, readEvent } from '#serve/event-stream/event-frames.ts';

// Agents that send back only what they know: texts, reasoning with its signature, and the calls of their own tools, as most do.

type Json = Readonly<Record<string, unknown>>;

/** What an agent reads in a response. */
interface Turn {
  readonly text: string;
  /** Names of its tools that the model has called. */
  readonly calls: readonly string[];
  /** Kinds of blocks, items or parts. */
  readonly kinds: readonly string[];
  /** The messages for the next request, with results. */
  readonly next: readonly Json[];
}

export interface PlainAgent {
  request(model: string, isStream: boolean): readonly [path: string, body: Json];
  read(text: string, isStream: boolean): Turn;
  /** Member of the request that contains the conversation. */
  readonly list: string;
}

const PARAMETERS = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const NAMES = ['read', 'edit'];
const TEXT = 'Edit /tmp/desk/notes.txt';

const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const members = (value: unknown): Json => (value ?? {}) as Json;
const joined = (parts: readonly unknown[]): string =>
  parts.filter((part) => typeof part === 'string').join('');

const eventsIn = (text: string): Json[] =>
  createFrameSplitter()
    .push(Buffer.from(text))
    .flatMap((frame) => readEvent(frame).data ?? [])
    .filter((data) => data.startsWith('{'))
    .map((data) => JSON.parse(data) as Json);

const chat: PlainAgent = {
  list: 'messages',
  request: (model, stream) => [
    '/v1/chat/completions',
    {
      model,
      stream,
      messages: [{ role: 'user', content: TEXT }],
      tools: NAMES.map((name) => ({ type: 'function', function: { name, parameters: PARAMETERS } })),
    },
  ],
  read(body, isStream) {
    const messages = isStream
      ? eventsIn(body).map(({ choices }) => members(members(objects(choices)[0])['delta']))
      : [members(members(objects((JSON.parse(body) as Json)['choices'])[0])['message'])];
    const text = joined(messages.map(({ content }) => content));
    const byIndex = new Map<unknown, { id: unknown; name: unknown; args: string }>();
    for (const [at, part] of messages.flatMap(({ tool_calls: calls }) => objects(calls)).entries()) {
      const { name, arguments: args } = members(part['function']);
      const index = isStream ? part['index'] : at;
      const known = byIndex.get(index) ?? { id: part['id'], name, args: '' };
      byIndex.set(index, { ...known, args: known.args + String(args) });
    }
    const calls = [...byIndex.values()];
    return {
      text,
      calls: calls.map(({ name }) => String(name)),
      kinds: [],
      next: [
        {
          role: 'assistant',
          content: text === '' ? null : text,
          tool_calls: calls.map(({ id, name, args }) => ({
            id,
            type: 'function',
            function: { name, arguments: args },
          })),
        },
        ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
      ],
    };
  },
};

const messages: PlainAgent = {
  list: 'messages',
  request: (model, stream) => [
    '/v1/messages',
    {
      model,
      stream,
      max_tokens: 1000,
      messages: [{ role: 'user', content: TEXT }],
      tools: NAMES.map((name) => ({ name, input_schema: PARAMETERS })),
    },
  ],
  read(body, isStream) {
    const blocks: Record<string, unknown>[] = isStream
      ? []
      : [...objects((JSON.parse(body) as Json)['content'])];
    for (const event of isStream ? eventsIn(body) : []) {
      const { index, content_block: block, delta } = event;
      const at = Number(index);
      const { text = '', thinking = '', signature, partial_json: json = '' } = members(delta);
      if (event['type'] === 'content_block_start') blocks[at] = { ...members(block), json: '' };
      const open = blocks[at];
      if (event['type'] !== 'content_block_delta' || !open) continue;
      if (open['type'] === 'text') open['text'] = String(open['text']) + String(text);
      if (open['type'] === 'thinking') open['thinking'] = String(open['thinking']) + String(thinking);
      if (signature !== undefined) open['signature'] = signature;
      open['json'] = String(open['json']) + String(json);
    }
    const content = blocks.map(({ json, ...block }) =>
      block['type'] === 'tool_use' && isStream
        ? { ...block, input: JSON.parse(String(json)) as unknown }
        : block,
    ) as Json[];
    const calls = content.filter(({ type }) => type === 'tool_use');
    return {
      text: joined(content.map(({ text }) => text)),
      calls: calls.map(({ name }) => String(name)),
      kinds: content.map(({ type }) => String(type)),
      next: [
        { role: 'assistant', content },
        {
          role: 'user',
          content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })),
        },
      ],
    };
  },
};

const responses: PlainAgent = {
  list: 'input',
  request: (model, stream) => [
    '/v1/responses',
    {
      model,
      stream,
      store: false,
      include: ['reasoning.encrypted_content'],
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: TEXT }] }],
      tools: NAMES.map((name) => ({ type: 'function', name, parameters: PARAMETERS })),
    },
  ],
  read(body, isStream) {
    const done = isStream
      ? eventsIn(body).flatMap(({ type, item }) =>
          type === 'response.output_item.done' ? [members(item)] : [],
        )
      : objects((JSON.parse(body) as Json)['output']);
    const calls = done.filter(({ type }) => type === 'function_call');
    return {
      text: joined(done.flatMap(({ content }) => objects(content).map(({ text }) => text))),
      calls: calls.map(({ name }) => String(name)),
      kinds: done.map(({ type }) => String(type)),
      next: [
        // Without IDs, as Codex sends them.
        ...done.map(({ id: _id, status: _status, ...item }) => item),
        ...calls.map(({ call_id: id }) => ({ type: 'function_call_output', call_id: id, output: 'ok' })),
      ],
    };
  },
};

const geminiAgent = (hasIds: boolean): PlainAgent => ({
  list: 'contents',
  request: (model, stream) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    {
      contents: [{ role: 'user', parts: [{ text: TEXT }] }],
      tools: [{ functionDeclarations: NAMES.map((name) => ({ name, parametersJsonSchema: PARAMETERS })) }],
    },
  ],
  read(body, isStream) {
    const parts = (isStream ? eventsIn(body) : [JSON.parse(body) as Json]).flatMap(({ candidates }) =>
      objects(members(members(objects(candidates)[0])['content'])['parts']),
    );
    const calls = parts.flatMap(({ functionCall: call }) => (call === undefined ? [] : [members(call)]));
    const ofId = (id: unknown): Json => (hasIds && id !== undefined ? { id } : {});
    const results = calls.map(({ id, name }) => ({
      functionResponse: { ...ofId(id), name, response: { output: 'ok' } },
    }));
    const sent = parts.map((part) => {
      const { functionCall: found, thoughtSignature: signature, ...rest } = part;
      if (found === undefined) return part;
      const { id, ...call } = members(found);
      const keepsSignature = hasIds || /^[A-Za-z\d+/]+=*$/.test(String(signature));
      return {
        ...rest,
        functionCall: { ...ofId(id), ...call },
        ...(keepsSignature && signature !== undefined && { thoughtSignature: signature }),
      };
    });
    return {
      text: joined(parts.filter(({ thought }) => thought !== true).map(({ text }) => text)),
      calls: calls.map(({ name }) => String(name)),
      kinds: [],
      next: [
        { role: 'model', parts: sent },
        { role: 'user', parts: results },
      ],
    };
  },
});

export const PLAIN_AGENTS: Readonly<Record<string, PlainAgent>> = {
  chat,
  messages,
  responses,
  gemini: geminiAgent(true),
  'gemini, without IDs': geminiAgent(false),
};
