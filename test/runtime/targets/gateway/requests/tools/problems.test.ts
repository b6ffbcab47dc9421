import { expect, test } from 'vitest';
import { createSettings } from './tool-settings.ts';
import { startToolGateway } from './tool-gateway.ts';

const TEXT = 'Edit /tmp/desk/notes.txt';
const DONE = 'Done: the notes are edited and stamped.';
const SERVER = { type: 'mcp', server_label: 'desk' };
const messages = [{ role: 'user', content: TEXT }];

type Json = Readonly<Record<string, unknown>>;

const chat = (model: string, more: Json = {}): readonly [string, Json] => [
  '/v1/chat/completions',
  { model, messages, tools: [SERVER], ...more },
];

const { gateway, someone, desk } = await startToolGateway({
  server: { allowedTools: undefined, timeoutMs: 700 },
  tools: { maxResultCharacters: 20 },
  models: {},
});
const { secret } = await someone();
const down = await startToolGateway({
  tools: createSettings({ desk: { url: 'http://127.0.0.1:9/mcp' } }),
});

test('long results are truncated', async () => {
  const answer = await gateway.post(...chat('openai:model-1'), secret);
  expect(await answer.text()).toContain(
    'stamped stamped stam\\n[The result has 80 characters; the rest was removed.]',
  );
});

test('a tool that takes too long fails, and the model continues', async () => {
  const tools = [{ ...SERVER, allowed_tools: ['view'] }];
  const before = desk.calls.length;
  const answer = await gateway.post(...chat('openai:model-2', { tools }), secret);
  const text = await answer.text();
  expect(text).toContain("MCP server 'desk' did not respond in time.");
  expect(text).toContain(DONE);
  await expect
    .poll(() => desk.calls.slice(before).toSorted())
    .toEqual(['view', 'view', 'view canceled', 'view canceled']);
});

test('a server that is down is an error before any model is called', async () => {
  const one = await down.someone();
  const answer = await down.gateway.post(...chat('openai:model-1'), one.secret);
  const { error } = (await answer.json()) as { readonly error: Json };
  expect([answer.status, error['code'], error['message']]).toEqual([
    502,
    'mcp_server_unavailable',
    "Cannot list the tools: MCP server 'desk' is unavailable.",
  ]);
  expect(await down.gateway.usage(one.userId)).toEqual([]);
});

test('metrics count calls and errors by the label of the server', async () => {
  const counted = async (): Promise<ReadonlyMap<string, number>> => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    const lines = text.matchAll(/^gateway_tool_call(s_total|_duration_seconds_count)(\{[^}]*\}) (\d+)$/gm);
    return new Map([...lines].map(([, name, labels, value]) => [`${name} ${labels}`, Number(value)]));
  };
  const before = await counted();
  await (await gateway.post(...chat('openai:model-9'), secret)).text();
  await (
    await gateway.post(
      ...chat('openai:model-10', { tools: [{ ...SERVER, allowed_tools: ['view'] }] }),
      secret,
    )
  ).text();
  const after = await counted();
  const added = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  expect(Object.fromEntries(added)).toEqual({
    's_total {server="desk",outcome="success"}': 3,
    's_total {server="desk",outcome="error"}': 1,
    's_total {server="desk",outcome="failed"}': 2,
    '_duration_seconds_count {server="desk"}': 6,
  });
});
