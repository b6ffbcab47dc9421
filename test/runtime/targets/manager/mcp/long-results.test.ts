import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bearer, keyOf } from '../access/key-of.ts';
import { jsonSize } from '#manager/shared/json-size.ts';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';
import { sendStateless } from './stateless-request.ts';

const READ_MORE = 'mcp_manager_read_more';
const LIMIT = 8000;
const ROWS = {
  type: 'object',
  properties: { result: { type: 'array', items: { type: 'object' } } },
  required: ['result'],
};
const CODE = {
  type: 'object',
  properties: { code: { type: 'string', pattern: '^x+$' } },
  required: ['code'],
};

const answering = (name: string, outputSchema?: object) =>
  serverSpec(name, 'malformed', {
    env: { TOOLS: JSON.stringify([{ name: 'answer', inputSchema: { type: 'object' }, outputSchema }]) },
  });

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({
    servers: [answering('plain'), answering('rows', ROWS), answering('code', CODE)],
    resultLimit: LIMIT,
    keys: [
      keyOf('ann'),
      keyOf('bob'),
      keyOf('free', { resultLimit: 0 }),
      keyOf('tight', { resultLimit: 4000 }),
      keyOf('rows-only', { servers: ['rows'] }),
    ],
  });
  await Promise.all(['plain', 'rows', 'code'].map(managed.running));
});
afterAll(() => managed.close());

const connect = async (key = 'ann', path = '/mcp'): Promise<Client> => {
  const client = await managed.connect(path, { Authorization: bearer(key) });
  // The client checks structured content only for tools that it has listed.
  await client.listTools();
  return client;
};

interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

const call = async (client: Client, server: string, result: object): Promise<Result> =>
  (await client.callTool({
    name: server === '' ? 'answer' : `${server}__answer`,
    arguments: { answer: { result } },
  })) as unknown as Result;
const textsOf = ({ content }: Result): string[] => content.flatMap(({ text }) => text ?? []);
const noticeOf = (result: Result): string => textsOf(result).at(-1) ?? '';
/** The arguments that a statement names for the tool that reads more. */
const argumentsIn = (notice: string): Record<string, unknown> | undefined => {
  const [, json] = /mcp_manager_read_more (\{[^}]*\})/.exec(notice) ?? [];
  return json === undefined ? undefined : (JSON.parse(json) as Record<string, unknown>);
};

async function readAll(client: Client, notice: string): Promise<string> {
  let text = '';
  for (let args = argumentsIn(notice); args;) {
    const result = (await client.callTool({ name: READ_MORE, arguments: args })) as unknown as Result;
    expect(jsonSize(result)).toBeLessThanOrEqual(LIMIT);
    text += textsOf(result)[0] ?? '';
    args = argumentsIn(noticeOf(result));
  }
  return text;
}

const LINES = Array.from({ length: 2000 }, (_, at) => `line ${at} é😀`).join('\n');
const textResult = (text: string) => ({ content: [{ type: 'text', text }] });

test('a short result is unchanged', async () => {
  const client = await connect();
  const result = { content: [{ type: 'text', text: 'short' }], structuredContent: { a: 1 } };
  expect(await call(client, 'plain', result)).toEqual(result);
});

test.each(['/mcp', '/mcp/plain'])(
  '%s: a long text is cut at a line, and the rest can be read page by page',
  async (path) => {
    const client = await connect('ann', path);
    const result = await call(client, path === '/mcp' ? 'plain' : '', textResult(LINES));
    expect(jsonSize(result)).toBeLessThanOrEqual(LIMIT);
    const [shown = '', notice = ''] = textsOf(result);
    expect(shown.endsWith('\n')).toBe(true);
    expect(notice).toMatch(
      /^\[Characters 0 to \d+ of \d+\. The rest can be read with mcp_manager_read_more /,
    );
    expect(shown + (await readAll(client, notice))).toBe(LINES);
    const { tools } = await client.listTools();
    expect(tools.filter(({ name }) => name === READ_MORE)).toHaveLength(1);
  },
);

test('structured content is shortened so that it still matches the output schema, and can be read completely', async () => {
  const client = await connect();
  const value = { result: Array.from({ length: 1000 }, (_, id) => ({ id, name: `n${id}` })) };
  const result = await call(client, 'rows', { content: [], structuredContent: value });
  const shown = result.structuredContent?.['result'] as object[];
  expect(shown.length).toBeGreaterThan(50);
  expect(value.result.slice(0, shown.length)).toEqual(shown);
  expect(noticeOf(result)).toMatch(
    /^\[The structured content was shortened: it had \d+ characters\. Its complete JSON/,
  );
  expect(JSON.parse(await readAll(client, noticeOf(result)))).toEqual(value);

  const repeated = await call(client, 'rows', {
    ...textResult(JSON.stringify(value)),
    structuredContent: value,
  });
  expect(jsonSize(repeated)).toBeLessThanOrEqual(LIMIT);
  const notices = textsOf(repeated).filter((text) => text.startsWith('['));
  expect(notices.flatMap((notice) => argumentsIn(notice) ?? [])).toHaveLength(1);
});

test('structured content that cannot be shortened is left out with a statement that the tool succeeded', async () => {
  const client = await connect();
  const value = { code: 'x'.repeat(20_000) };
  const result = await call(client, 'code', { content: [], structuredContent: value });
  expect(result).toMatchObject({ isError: true });
  expect(result).not.toHaveProperty('structuredContent');
  expect(noticeOf(result)).toMatch(/^\[The tool succeeded; do not call it again\./);
  expect(JSON.parse(await readAll(client, noticeOf(result)))).toEqual(value);
  const failed = await call(client, 'code', {
    ...textResult(LINES),
    structuredContent: value,
    isError: true,
  });
  expect(failed.isError).toBe(true);
  expect(noticeOf(failed)).not.toContain('succeeded');
});

test('large images and resources become links that the session can read, and small ones stay', async () => {
  const client = await connect();
  const image = Buffer.alloc(30_000, 7).toString('base64');
  const content = [
    { type: 'text', text: 'a picture' },
    { type: 'image', data: image, mimeType: 'image/png' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///long.txt', mimeType: 'text/plain', text: LINES } },
  ];
  const result = await call(client, 'plain', { content });
  expect(result.content).toEqual([
    content[0],
    {
      type: 'resource_link',
      uri: expect.stringMatching(/^mcp-manager:\/\/results\//),
      name: 'image of 30000 bytes',
      mimeType: 'image/png',
      size: 30_000,
    },
    content[2],
    expect.objectContaining({
      type: 'resource_link',
      mimeType: 'text/plain',
      size: Buffer.byteLength(LINES),
    }),
  ]);
  const [, link, , text] = result.content;
  const uri = String(link?.uri);
  expect(await client.readResource({ uri })).toEqual({
    contents: [{ uri, blob: image, mimeType: 'image/png' }],
  });
  expect((await client.readResource({ uri: String(text?.uri) })).contents[0]).toMatchObject({ text: LINES });
  for (const other of [await connect('bob'), await connect('ann'), await connect('ann', '/mcp/plain')]) {
    await expect(other.readResource({ uri })).rejects.toThrow(/unknown or expired ID of a result/);
  }
});

test('no other session, key or user can read the rest of a result', async () => {
  const client = await connect();
  const result = await call(client, 'plain', textResult(LINES));
  const args = argumentsIn(noticeOf(result)) ?? {};
  const others = [
    await connect('bob'),
    await connect('ann'),
    await connect('ann', '/mcp/plain'),
    await connect('tight'),
  ];
  for (const other of others) {
    await expect(other.callTool({ name: READ_MORE, arguments: args })).rejects.toThrow(
      /unknown or expired ID/,
    );
  }
  for (const key of ['ann', 'bob']) {
    const response = await sendStateless(managed.origin, 'tools/call', {
      params: { name: READ_MORE, arguments: args },
      headers: { Authorization: bearer(key) },
    });
    expect(await response.text()).toContain('unknown or expired ID');
  }
  expect((await client.callTool({ name: READ_MORE, arguments: args })).content).toHaveLength(2);
});

test.each([
  [{ id: 'nothing' }, /unknown or expired ID/],
  [{}, /`id` must be a string/],
  [{ offset: -1 }, /`offset` must be a whole number from 0 to/],
  [{ offset: 1e9 }, /`offset` must be a whole number from 0 to/],
  [{ offset: 1.5 }, /`offset` must be a whole number from 0 to/],
])('invalid arguments of the tool are rejected: %j', async (wrong, message) => {
  const client = await connect();
  const { id } = argumentsIn(noticeOf(await call(client, 'plain', textResult(LINES)))) ?? {};
  const args = 'offset' in wrong ? { id, ...wrong } : wrong;
  await expect(client.callTool({ name: READ_MORE, arguments: args })).rejects.toThrow(message);
});

test("a key's own limit replaces that of the manager, and a key without a limit gets complete results", async () => {
  const tight = await call(await connect('tight'), 'plain', textResult(LINES));
  expect(jsonSize(tight)).toBeLessThanOrEqual(4000);
  const free = await connect('free');
  expect(textsOf(await call(free, 'plain', textResult(LINES)))).toEqual([LINES]);
  expect((await free.listTools()).tools.map(({ name }) => name)).not.toContain(READ_MORE);
  await expect(free.callTool({ name: READ_MORE, arguments: { id: 'x' } })).rejects.toThrow(/Unknown tool/);
});

test('a client without a session can read more with the same key', async () => {
  const send = async (key: string, params: Record<string, unknown>) => {
    const headers = { Authorization: bearer(key) };
    const response = await sendStateless(managed.origin, 'tools/call', { params, headers });
    return (await response.json()) as { result: Result; error?: { message: string } };
  };
  const params = { name: 'plain__answer', arguments: { answer: { result: textResult(LINES) } } };
  const { result } = await send('ann', params);
  const more = { name: READ_MORE, arguments: argumentsIn(noticeOf(result)) };
  expect((await send('ann', more)).result.content).toHaveLength(2);
  expect((await send('bob', more)).error?.message).toContain('unknown or expired ID');
});

test('the HTTP API returns complete results', async () => {
  const response = await fetch(`${managed.origin}/api/v1/servers/plain/tools/answer`, {
    method: 'POST',
    headers: { Authorization: bearer('ann'), 'content-type': 'application/json' },
    body: JSON.stringify({ answer: { result: textResult(LINES) } }),
  });
  expect(await response.json()).toBe(LINES);
});

test('metrics count shortened results', async () => {
  const client = await connect();
  await call(client, 'plain', textResult(LINES));
  const text = await managed.context.kernel.metrics.metrics();
  expect(Number(/^mcp_results_shortened_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
});
