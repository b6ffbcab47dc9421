import { expect, test } from 'vitest';
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
const responses = (model: string, more: Json = {}): readonly [string, Json] => [
  '/v1/responses',
  { model, input: messages, tools: [SERVER], ...more },
];

const { model, desk, gateway, someone } = await startToolGateway({
  server: {
    users: ['user-1', 'user-2'],
    keys: [],
    userHeader: 'X-User',
    headers: { 'X-Token': 'the-token' },
  },
});
const staff = await startToolGateway({ server: { users: ['*@example.com', 'desks/*'] } });
const first = await someone();
const second = await someone({ tools: ['desk'] });
const third = await someone();
const fourth = await someone({ tools: ['gone'] });

const refused = async (tool: Json, secret = first.secret): Promise<unknown> => {
  const answer = await gateway.post(...chat('openai:model-1', { tools: [tool] }), secret);
  const { detail } = (await answer.json()) as { readonly detail: string };
  return [answer.status, detail];
};
const unavailable = (name: string): readonly unknown[] => [
  422,
  `MCP server "${name}" is not available. Use the label of a server that the administrator has configured.`,
];

test('only configured servers can be used, and only at their configured URL', async () => {
  expect(await refused({ type: 'mcp', server_label: 'other' })).toEqual(unavailable('other'));
  const url = 'http://169.254.169.254/mcp';
  expect(await refused({ type: 'mcp', server_url: url })).toEqual(unavailable(url));
  expect(await refused({ ...SERVER, server_url: url })).toEqual(unavailable('desk'));
  expect(await refused({ type: 'mcp', server_label: '__proto__' })).toEqual(unavailable('__proto__'));
  expect((await model.book('model-1')).answers).toBe(0);
});

test('the label cannot be hidden by escapes', async () => {
  const text = JSON.stringify(chat('openai:model-1', { tools: [{ type: 'mcp', server_label: 'x' }] })[1]);
  const answer = await gateway.post(
    '/v1/chat/completions',
    text.replace('"mcp"', '"\\u006d\\u0063\\u0070"'),
    first.secret,
  );
  expect(answer.status).toBe(422);
});

test('a server is only available to the configured users', async () => {
  expect(await refused(SERVER, third.secret)).toEqual(unavailable('desk'));
  const url = { type: 'mcp', server_url: desk.url };
  expect(await refused(url, third.secret)).toEqual(unavailable(desk.url));
  const answer = await gateway.post(...chat('openai:model-2', { tools: [url] }), first.secret);
  expect(await answer.text()).toContain(DONE);
});

test('a service account only matches patterns with its team, because the team chooses the rest of its ID', async () => {
  const statusFor = async (userId: string, teamId?: string): Promise<number> => {
    const team = teamId === undefined ? {} : { team_id: teamId };
    await staff.gateway.user(userId, team);
    const secret = await staff.gateway.key({ user_id: userId, ...team });
    return (await staff.gateway.post(...chat('openai:model-1'), secret)).status;
  };
  for (const team of ['ops', 'desks']) await staff.gateway.admin('POST', '/v1/teams', { team_id: team });
  expect(await statusFor('ann@example.com')).toBe(200);
  expect(await statusFor('desks/ci', 'desks')).toBe(200);
  expect(await statusFor('ops/x@example.com', 'ops')).toBe(422);
});

test('a key’s own servers are part of each request of the key', async () => {
  const answer = await gateway.post(...chat('openai:model-3', { tools: undefined }), second.secret);
  expect(await answer.text()).toContain(DONE);
  expect((await model.book('model-3')).tools).toEqual(['read_file', 'edit_file', 'stamp']);
  expect(await refused({ type: 'function', function: { name: 'f' } }, fourth.secret)).toEqual([
    422,
    'MCP server "gone", whose tools this API key has by default, is not available. Ask the administrator to correct the key\'s `tools`.',
  ]);
});

test('the server receives the configured headers and the user', () => {
  const users = new Set(desk.headers.map((headers) => headers['x-user']));
  expect(users).toEqual(new Set(['user-1', 'user-2']));
  expect(desk.headers.every((headers) => headers['x-token'] === 'the-token')).toBe(true);
});

test('a session that the server has forgotten is opened again', async () => {
  desk.forget();
  const answer = await gateway.post(...chat('openai:model-4'), first.secret);
  expect(await answer.text()).toContain(DONE);
});

test('functions of the client keep their names', async () => {
  const own = { type: 'function', function: { name: 'stamp', parameters: { type: 'object' } } };
  await gateway.post(...chat('openai:model-5', { tools: [own, SERVER] }), first.secret);
  expect((await model.book('model-5')).tools).toEqual(['stamp', 'read_file', 'edit_file', 'desk_stamp']);
});

test('a request can select tools', async () => {
  const tools = [{ ...SERVER, allowed_tools: ['stamp', 'view'] }];
  const answer = await gateway.post(...chat('openai:model-6', { tools }), first.secret);
  expect(await answer.text()).toContain(DONE);
  expect((await model.book('model-6')).tools).toEqual(['stamp']);
});

test('choices and background responses cannot use tools', async () => {
  const several = await gateway.post(...chat('openai:model-7', { n: 2 }), first.secret);
  expect(several.status).toBe(422);
  const later = await gateway.post(...responses('openai:model-7', { background: true }), first.secret);
  expect(later.status).toBe(501);
});

test('logs contain neither arguments nor results', () => {
  const lines = gateway.logged.filter((line) => line.includes('tool called'));
  expect(lines.length).toBeGreaterThan(4);
  expect(gateway.logged.join('')).not.toMatch(/the-token|notes\.txt|colour/);
});
