import { expect, test } from 'vitest';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import { startToolGateway } from './tool-gateway.ts';

// What applies to other requests also applies to requests whose tools the gateway runs.

const TEXT = 'Edit /tmp/desk/notes.txt';
const DONE = 'Done: the notes are edited and stamped.';
const SERVER = { type: 'mcp', server_label: 'desk' };
const messages = [{ role: 'user', content: TEXT }];

type Json = Readonly<Record<string, unknown>>;

const { gateway, someone, model, desk } = await startToolGateway({
  server: { allowedTools: undefined },
  models: {
    guardrails: {
      profiles: [
        {
          name: 'colours',
          kind: 'patterns',
          patterns: new Map([['COLOUR', compileLinearPattern('The colour')]]),
          action: 'mask',
        },
        {
          name: 'reads',
          kind: 'patterns',
          patterns: new Map([['READ', compileLinearPattern('read-only')]]),
          action: 'block',
        },
      ],
      demanded: [],
    },
    cache: undefined,
  },
});
const chat = (id: string, more: Json = {}): Json => ({
  model: `openai:${id}`,
  messages,
  tools: [{ ...SERVER, allowed_tools: ['read_file', 'edit_file', 'stamp'] }],
  ...more,
});

test('guardrails mask the results of tools before a model receives them', async () => {
  const { secret } = await someone();
  const body = chat('model-1', { guardrails: [{ profile: 'colours', mode: 'block' }] });
  const answer = await gateway.post('/v1/chat/completions', body, secret);
  expect(await answer.text()).toContain(DONE);
  const sent = JSON.stringify((await model.book('model-1')).requests);
  expect(sent).toContain('[COLOUR_1] is red.');
  expect(sent).not.toContain('The colour');
});

test.each([false, true])(
  'a guardrail that blocks a result ends the response (stream: %s)',
  async (stream) => {
    const { secret, userId } = await someone();
    const id = `model-${stream ? 2 : 3}`;
    const body = chat(id, { stream, guardrails: [{ profile: 'reads', mode: 'block' }] });
    const answer = await gateway.post('/v1/chat/completions', body, secret);
    const text = await answer.text();
    expect(answer.status).toBe(stream ? 200 : 403);
    expect(text).toContain('guardrail');
    expect(text).not.toContain(DONE);
    // The rounds before it are billed.
    expect((await model.book(id)).answers).toBe(2);
    const rows = await gateway.usage(userId);
    expect(rows.filter(({ status }) => status === 'success')).toHaveLength(2);
  },
);

test('requests with the same Idempotency-Key run once, with all their rounds and tools', async () => {
  const { secret, userId } = await someone();
  const before = desk.calls.length;
  const headers = { 'idempotency-key': 'the-key' };
  const ask = async (): Promise<string> =>
    await (await gateway.post('/v1/chat/completions', chat('model-4'), secret, { headers })).text();
  const first = await ask();
  expect(first).toContain(DONE);
  expect(await ask()).toBe(first);
  expect(desk.calls.slice(before)).toHaveLength(4);
  expect((await model.book('model-4')).answers).toBe(4);
  expect(await gateway.usage(userId)).toHaveLength(4);
});

test('a response continues from its last round', async () => {
  const { secret } = await someone();
  const body = { model: 'openai:model-5', input: TEXT, tools: chat('')['tools'] };
  const first = (await (await gateway.post('/v1/responses', body, secret)).json()) as Json;
  const next = { model: 'openai:model-5', input: 'And now?', previous_response_id: first['id'] };
  await gateway.post('/v1/responses', next, secret);
  const { requests } = await model.book('model-5');
  const used = requests.at(-1)?.['previous_response_id'];
  expect(used).toMatch(/^resp_/);
  expect(used).not.toBe(first['id']);
  const other = await someone();
  expect((await gateway.post('/v1/responses', next, other.secret)).status).toBe(404);
});

test.each([false, true])(
  'a client that disconnects ends the calls and the loop (stream: %s)',
  async (stream) => {
    const { secret, userId } = await someone();
    const id = `model-${stream ? 6 : 7}`;
    const before = desk.calls.length;
    const controller = new AbortController();
    const body = chat(id, { stream, tools: [{ ...SERVER, allowed_tools: ['view'] }] });
    const asked = gateway.post('/v1/chat/completions', body, secret, { signal: controller.signal });
    const read = asked.then((answer) => answer.text()).catch(() => undefined);
    await expect.poll(() => desk.calls.slice(before)).toEqual(['view', 'view']);
    controller.abort();
    await read;
    await expect
      .poll(() => desk.calls.slice(before))
      .toEqual(['view', 'view', 'view canceled', 'view canceled']);
    expect((await model.book(id)).answers).toBe(1);
    expect(await gateway.usage(userId)).toHaveLength(1);
  },
);
