import { expect } from 'vitest';
import { ECHO, serversToml } from './config.ts';
import { shareManagers } from './shared-managers.ts';
import { verifiesManaged } from './verifies.ts';

const start = shareManagers();
const TOOLS = '/api/v1/servers/echo/tools';
const TOOL_KEYS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', '_meta'];

verifiesManaged('manager:tools', async (arm) => {
  const { get } = await start(arm, { config: ECHO });
  const { status, body } = await get(TOOLS);
  expect(status).toBe(200);
  const echo = body.tools.find(({ name }: { name: string }) => name === 'echo');
  expect(echo).toMatchObject({
    name: 'echo',
    description: 'Says what it is told.',
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    annotations: { readOnlyHint: true },
  });
  for (const tool of body.tools) {
    expect(TOOL_KEYS).toEqual(expect.arrayContaining(Object.keys(tool)));
    for (const schema of [tool.inputSchema, tool.outputSchema]) {
      expect(['type', 'properties', 'required']).toEqual(expect.arrayContaining(Object.keys(schema ?? {})));
    }
  }
  const nested = body.tools.find(({ name }: { name: string }) => name === 'schema');
  expect(nested.inputSchema.properties).toEqual({
    place: { type: 'object', properties: { city: { type: 'string' } } },
  });

  const spelt = await start(arm, {
    config: serversToml({ name: 'camel', run: ['camel-case-tools.mjs'] }),
  });
  const { body: camel } = await spelt.get('/api/v1/servers/camel/tools?detail=minimal');
  const names = camel.tools.map(({ name }: { name: string }) => name);
  expect(names.some((name: string) => name !== name.toLowerCase())).toBe(true);
  for (const name of names) {
    expect((await spelt.post(`/api/v1/servers/camel/tools/${name}`, {})).status).toBe(200);
    expect((await spelt.post(`/api/v1/servers/camel/tools/${name.toLowerCase()}`, {})).status).toBe(200);
  }
});

verifiesManaged('manager:tools:detail', async (arm) => {
  const { get } = await start(arm, { config: ECHO });
  const keysOf = async (detail: string): Promise<string[]> => {
    const { body } = await get(`${TOOLS}?detail=${detail}`);
    return Object.keys(body.tools.find(({ name }: { name: string }) => name === 'add'));
  };
  expect(await keysOf('minimal')).toEqual(['name', 'title']);
  expect((await keysOf('SUMMARY')).sort()).toEqual(['description', 'name', 'title']);
  expect(await keysOf('full')).toContain('inputSchema');
  expect(await keysOf('')).toContain('inputSchema');
  const wrong = await get(`${TOOLS}?detail=everything`);
  expect(wrong.status).toBe(422);
  expect(wrong.text).toMatch(/minimal.*summary.*full/);
});

verifiesManaged('manager:call:text', async (arm) => {
  const { post } = await start(arm, { config: ECHO });
  const call = async (tool: string, args: object = {}): Promise<unknown> => {
    const { status, headers, body } = await post(`${TOOLS}/${tool}`, args);
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'application/json' });
    return body;
  };
  expect(await call('echo', { message: 'Grüße, 世界 👋 "quoted"\nnext' })).toBe(
    'Grüße, 世界 👋 "quoted"\nnext',
  );
  expect(await call('blocks')).toBe('one\ntwo');
  expect(JSON.parse((await call('structured')) as string)).toEqual({ city: 'Oslo', degrees: 3.5 });
  expect(JSON.parse((await call('image')) as string)).toEqual([
    { type: 'image', data: expect.any(String), mimeType: 'image/png' },
  ]);
});

verifiesManaged('manager:call:full', async (arm) => {
  const { post } = await start(arm, { config: ECHO });
  const { status, body } = await post(`${TOOLS}/structured?result=full`, {});
  expect(status).toBe(200);
  expect(body).toMatchObject({ content: [], structuredContent: { city: 'Oslo', degrees: 3.5 } });
});

verifiesManaged('manager:call:numbers', async (arm) => {
  const { post } = await start(arm, { config: ECHO });
  const numbers = [
    '9007199254740993',
    '-12345678901234567890',
    '0.1000000000000000055511151231257827',
    '1e400',
  ];
  for (const number of numbers) {
    const args = `{"value":${number}}`;
    expect((await post(`${TOOLS}/number`, args)).body).toBe(args);
    expect((await post(`${TOOLS}/number?result=full`, args)).text).toContain(`"structuredContent":${args}`);
  }
});

verifiesManaged('manager:call:failed', async (arm) => {
  const { post } = await start(arm, { config: ECHO });
  const failed = await post(`${TOOLS}/is-error`, { message: 'no disk' });
  expect(failed).toMatchObject({
    status: 502,
    body: {
      title: 'Bad Gateway',
      status: 502,
      detail: 'MCP server error calling tool',
      errors: [{ message: 'tool call failed: echo/is-error: no disk' }],
    },
  });
  const silent = await post(`${TOOLS}/is-error-without-text`, {});
  expect(silent.status).toBe(502);
  expect(silent.body.errors[0].message).toContain('tired');
  const refused = await post(`${TOOLS}/rpc-error`, {});
  expect(refused).toMatchObject({
    status: 502,
    body: {
      detail: 'MCP server error calling tool',
      errors: [{ message: 'tool call failed: echo/rpc-error: The request failed.', location: 'path' }],
    },
  });
});

verifiesManaged('manager:call:not-allowed', async (arm) => {
  const config = serversToml({ name: 'echo', run: ['echo.mjs'], keys: 'tools = ["echo", "ad*"]' });
  const { get, post } = await start(arm, { config });
  const { body } = await get(`${TOOLS}?detail=minimal`);
  expect(body.tools.map(({ name }: { name: string }) => name)).toEqual(['echo', 'add']);
  for (const tool of ['blocks', 'nothing']) {
    expect(await post(`${TOOLS}/${tool}`, {})).toMatchObject({
      status: 403,
      body: { detail: `tool not allowed: echo/${tool}` },
    });
  }
  expect(await post(`${TOOLS}/adding`, {})).toMatchObject({
    status: 404,
    body: { detail: 'tool not found: echo/adding' },
  });
  expect(await post('/api/v1/servers/Nobody/tools/echo', {})).toMatchObject({
    status: 404,
    body: { detail: 'server not found: Nobody' },
  });
});

verifiesManaged('manager:call:timeout', async (arm) => {
  const config = serversToml({ name: 'echo', run: ['echo.mjs'], keys: 'timeout_request = "500ms"' });
  const { post, get } = await start(arm, { config });
  const { status, body } = await post(`${TOOLS}/sleep-until-cancelled`, {});
  expect({ status, ...body }).toMatchObject({
    status: 504,
    title: 'Gateway Timeout',
    detail: 'MCP server error calling tool',
  });
  await untilLogged(get, 'cancelled');
});

verifiesManaged('manager:call:gone', async (arm) => {
  const { url, get } = await start(
    arm,
    { config: serversToml({ name: 'echo', run: ['echo.mjs'], keys: '' }) },
    ['--log-level', 'debug'],
  );
  const leaving = new AbortController();
  const left = fetch(`${url}${TOOLS}/sleep-until-cancelled`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal: leaving.signal,
  }).catch((error: unknown) => error);
  await untilLogged(get, 'sleeping');
  leaving.abort();
  expect(await left).toBeInstanceOf(Error);
  await untilLogged(get, 'cancelled');
});

/** The order of stderr and other output is not defined. */
async function untilLogged(get: (path: string) => Promise<{ text: string }>, words: string): Promise<void> {
  await expect
    .poll(async () => (await get('/api/v1/admin/servers/echo/logs?lines=100')).text)
    .toContain(words);
}

verifiesManaged('manager:call:body', async (arm) => {
  const { post, url } = await start(arm, { config: ECHO });
  const path = `${TOOLS}/echo`;
  const refused = async (body: string, headers?: Record<string, string>): Promise<[number, string]> => {
    const answer = await post(path, body, headers);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    return [answer.status, answer.body.detail];
  };
  expect(await refused('')).toEqual([400, 'request body is required']);
  expect((await refused('{"message":'))[0]).toBe(400);
  expect((await refused('[]'))[0]).toBe(422);
  expect((await refused('"text"'))[0]).toBe(422);
  expect((await refused('{}', { 'content-type': 'text/plain' }))[0]).toBe(415);
  expect((await refused(JSON.stringify({ message: 'x'.repeat(1_048_577) })))[0]).toBe(413);
  const prompt = await post('/api/v1/servers/echo/prompts/greet', { arguments: { name: 7 } });
  expect(prompt.status).toBe(422);
  expect(prompt.body.errors).toEqual([
    { location: 'body.arguments.name', message: expect.any(String), value: 7 },
  ]);
  const extra = await post('/api/v1/servers/echo/prompts/greet', { args: {} });
  expect(extra).toMatchObject({
    status: 422,
    body: { errors: [{ location: expect.stringContaining('body') }] },
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

const TRUST = [
  serversToml(
    {
      name: 'echo',
      run: ['echo.mjs'],
      keys: 'tools = ["*"]\napprovals = [{ tools = ["add"], action = "ask" }]\n[servers.tool_overrides.echo]\nrename = "say"',
    },
    { name: 'pinned', run: ['echo.mjs'], keys: 'on_change = "block"' },
  ),
  '[[groups]]\nname = "voice"\ntools = ["echo/echo", "echo/add"]\n',
].join('\n');

verifiesManaged('manager:trust', async (arm) => {
  const { get, post } = await start(arm, { config: TRUST });
  const group = '/groups/voice/api/v1/servers';
  expect((await get(group)).body).toEqual(['echo']);
  const { body } = await get(`${group}/echo/tools?detail=minimal`);
  expect(body.tools.map(({ name }: { name: string }) => name).toSorted()).toEqual(['add', 'say']);
  expect((await post(`${group}/echo/tools/say`, { message: 'hi' })).body).toBe('hi');
  expect((await post(`${group}/echo/tools/echo`, { message: 'hi' })).body.detail).toBe(
    'tool renamed: echo/echo is now echo/say. Use the new name.',
  );
  expect((await post('/api/v1/servers/pinned/tools/add', { a: 1, b: 2 })).body.detail).toContain(
    'tool blocked: pinned/add: it is not pinned.',
  );
  const sum = `${group}/echo/tools/add`;
  expect((await post(sum, { a: 1, b: 2 })).status).toBe(403);
  expect((await post(sum, { a: 1, b: 2 }, { 'X-Confirm-Tool': 'echo/add' })).body).toBe('3');
});
