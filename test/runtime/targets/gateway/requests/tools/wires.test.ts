import { describe, expect, test } from 'vitest';
import { startToolGateway } from './tool-gateway.ts';

const { model, desk, gateway, someone } = await startToolGateway();

const TEXT = 'Edit /tmp/desk/notes.txt';
const SERVER = { type: 'mcp', server_label: 'desk' };
const DONE = 'Done: the notes are edited and stamped.';
const CALLS = ['read_file', 'read_file', 'edit_file', 'stamp'].map((tool) => `${tool} /tmp/desk/notes.txt`);

type Body = Readonly<Record<string, unknown>>;

/** A request in each client API with the tools of the server. */
const WIRES: Readonly<Record<string, (model: string, isStream: boolean) => readonly [string, Body]>> = {
  chat: (name, stream) => [
    '/v1/chat/completions',
    {
      model: name,
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
      messages: [{ role: 'user', content: TEXT }],
      tools: [SERVER],
    },
  ],
  responses: (name, stream) => ['/v1/responses', { model: name, stream, input: TEXT, tools: [SERVER] }],
  messages: (name, stream) => [
    '/v1/messages',
    {
      model: name,
      stream,
      max_tokens: 1000,
      messages: [{ role: 'user', content: TEXT }],
      mcp_servers: [{ type: 'url', name: 'desk', url: desk.url }],
    },
  ],
  gemini: (name, stream) => [
    `/v1beta/models/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text: TEXT }] }], tools: [SERVER] },
  ],
};

let models = 0;
/** A model that no other test uses. */
const nextModel = (): string => `model-${(models += 1)}`;

describe.each(['openai', 'anthropic', 'gemini'])('a model of %s', (provider) => {
  describe.each(Object.keys(WIRES))('in the API %s', (wire) => {
    test.each([false, true])(
      'the loop runs all tools and books every round (stream: %s)',
      async (isStream) => {
        const id = nextModel();
        const { userId, secret } = await someone();
        const [path, body] = WIRES[wire]?.(`${provider}:${id}`, isStream) ?? ['', {}];
        const before = desk.calls.length;
        const answer = await gateway.post(path, body, secret);
        const text = await answer.text();
        expect(text).toContain(DONE);
        expect(answer.status).toBe(200);
        expect(desk.calls.slice(before).toSorted()).toEqual(CALLS.toSorted());
        const book = await model.book(id);
        expect(book.refused).toEqual([]);
        expect(book.answers).toBe(4);
        const rows = await gateway.usage(userId);
        expect(rows).toHaveLength(4);
        expect(new Set(rows.map((row) => row['request_id'])).size).toBe(1);
        const sum = (name: 'prompt_tokens' | 'completion_tokens'): number =>
          rows.reduce((total, row) => total + (row[name] ?? 0), 0);
        expect([sum('prompt_tokens'), sum('completion_tokens')]).toEqual([book.prompt, book.completion]);
        // The client sees the usage of all rounds.
        expect(text).toContain(`:${book.prompt}`);
        expect(text).toContain(`:${book.completion}`);
      },
    );
  });
});
