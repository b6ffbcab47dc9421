import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import type { KeyRecord } from '#manager/access/key-file.ts';
import { isObject } from '#core/json/is-object.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { plugin, type Started, started } from '../plugins/served.ts';
import { recordedAudit } from '../recorded-audit.ts';
import { serverSpec } from '../server-spec.ts';
import { type Managed, type ManagedOptions, openManager } from './managed.ts';
import { sendStateless } from './stateless-request.ts';

const folder = useTempFolder();

async function open(
  categories: Parameters<typeof started>[0],
  { servers = ECHO, ...options }: Partial<ManagedOptions> = {},
): Promise<Managed & Pick<Started, 'logged'>> {
  const { plugins, logged } = await started(categories);
  const managed = await openManager({
    mode: 'code',
    plugins,
    servers,
    ...options,
  });
  onTestFinished(() => managed.close());
  await Promise.all(servers.map(({ name }) => managed.running(name)));
  return { ...managed, logged };
}

const ECHO = [serverSpec('echo', 'echo')];
const WITH_APPROVALS = [
  ...ECHO,
  serverSpec('asks', 'echo', { approvals: [{ tools: ['add'], action: 'ask' }] }),
];

/** A plugin that follows a rule for requests of one name. */
const policy = (config: Record<string, string>, more: object = {}): object =>
  plugin('policy', {
    kind: 'js',
    path: 'policy.mjs',
    required: true,
    flows: ['request', 'response'],
    config,
    ...more,
  });

interface Result {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
}

async function run(client: Client, script: string): Promise<string> {
  const result = await client.callTool({ name: 'run_script', arguments: { script } });
  return (result as unknown as Result).content[0]?.text ?? '';
}

interface Sent {
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const ITEM_METHODS = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** What a plugin has seen of requests of items, without `_meta`; the tools that search and run scripts are omitted. */
const itemRequests = (messages: readonly Sent[]): unknown[] =>
  messages.flatMap(({ method = '', params: { _meta, ...params } = {} }) =>
    ITEM_METHODS.has(method) && params['name'] !== 'run_script' ? [[method, params]] : [],
  );

/** The JSON of the requests in a file that a fixture has written, one a line. */
const inFile = (file: string): Sent[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const text = line.replace(/^seen request /, '');
      return text.startsWith('{') ? [JSON.parse(text) as Sent] : [];
    });

async function openHook(): Promise<{ readonly url: string; readonly seen: Sent[] }> {
  const seen: Sent[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { body } = (await json(request)) as { body?: string };
    const text = Buffer.from(body ?? '', 'base64').toString();
    if (request.url === '/HandleRequest' && text !== '') seen.push(JSON.parse(text) as Sent);
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const ADD = { name: 'echo__add', arguments: { a: 1, b: 2 } };
const GREET = { name: 'echo__greet', arguments: { name: 'Ann' } };
const MEMO = { uri: 'memo://one' };

test.each([
  ['all', ADD, (client: Client) => client.callTool(ADD)],
  [
    'search',
    { name: 'call_tool', arguments: ADD },
    (client: Client) => client.callTool({ name: 'call_tool', arguments: ADD }),
  ],
  ['code', ADD, (client: Client) => run(client, 'return tools.echo.add{ a = 1, b = 2 }')],
] as const)(
  'in the mode %s, each kind of plugin sees the request of a tool, a prompt and a resource exactly once',
  async (mode, toolRequest, callTool) => {
    const hook = await openHook();
    const files = { exec: join(folder(), 'exec'), js: join(folder(), 'js') };
    const flows = ['request', 'response'];
    const managed = await open(
      {
        audit: [
          plugin('record', { flows, config: { file: files.exec, label: 'seen' } }),
          plugin('hook', { flows, kind: 'http', url: hook.url }),
          plugin('module', {
            flows,
            kind: 'js',
            path: 'module.mjs',
            config: { file: files.js, label: 'seen', behavior: 'observe' },
          }),
        ],
      },
      { mode },
    );
    const client = await managed.connect('/mcp');
    await callTool(client);
    const isCode = mode === 'code';
    await (isCode ? run(client, 'return prompts.echo.greet{ name = "Ann" }') : client.getPrompt(GREET));
    await (isCode
      ? run(client, 'return resources.echo.read{ uri = "memo://one" }')
      : client.readResource(MEMO));
    const expected = [
      ['tools/call', toolRequest],
      ['prompts/get', GREET],
      ['resources/read', MEMO],
    ];
    expect(itemRequests(inFile(files.exec))).toEqual(expected);
    expect(itemRequests(inFile(files.js))).toEqual(expected);
    expect(itemRequests(hook.seen)).toEqual(expected);
  },
);

test('a plugin sees the headers, the path and the address of the request that runs the script', async () => {
  const file = join(folder(), 'seen');
  const { origin } = await open({ audit: [policy({ file })] });
  const script = 'return tools.echo.add{ a = 1, b = 2 }';
  await sendStateless(origin, 'tools/call', {
    params: { name: 'run_script', arguments: { script } },
    headers: { 'x-tenant': 'a', 'mcp-param-region': 'eu' },
    meta: { progressToken: 5, traceparent: 'x' },
  });
  const [outer, inner] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, Record<string, unknown>>);
  expect(inner).toMatchObject({
    path: '/mcp',
    remoteAddr: '127.0.0.1',
    headers: { 'X-Tenant': 'a', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo__add' },
    message: { jsonrpc: '2.0', params: ADD },
  });
  expect(outer?.['headers']).toHaveProperty('Mcp-Param-Region');
  expect(inner?.['headers']).not.toHaveProperty('Mcp-Param-Region');
  expect(inner).toHaveProperty('message.params._meta.traceparent', 'x');
  expect(inner).not.toHaveProperty('message.params._meta.progressToken');
});

test.each([
  ['echo__add', 'return tools.echo.add{ a = 1, b = 2 }', 'echo/add'],
  ['echo__greet', 'return prompts.echo.greet{ name = "Ann" }', 'echo/greet'],
  ['memo://one', 'return resources.echo.read{ uri = "memo://one" }', 'echo/memo://one'],
])('a plugin that rejects %s is an error with the line of the script', async (name, script, shown) => {
  const managed = await open({ authorization: [policy({ name, action: 'deny' })] });
  const client = await managed.connect();
  expect(await run(client, `local x = 1\n${script}`)).toContain(
    `line 2: ${shown}: rejected with status 403: ${name} is blocked`,
  );
  // The script can handle it like any other error, and other calls are not affected.
  expect(
    await run(client, 'pcall(tools.echo.add, { a = 1, b = 2 })\nreturn tools.echo.echo{ message = "x" }'),
  ).toBe('x');
});

test('a plugin sees which server has a resource if several servers have it, as clients must request it then', async () => {
  const name = 'mcp:asks:memo://one';
  const managed = await open({ audit: [policy({ name, action: 'deny' })] }, { servers: WITH_APPROVALS });
  const client = await managed.connect();
  expect(await run(client, 'return resources.echo.read{ uri = "memo://one" }')).toBe('The first memo.');
  expect(await run(client, 'return resources.asks.read{ uri = "memo://one" }')).toContain(
    `${name} is blocked`,
  );
});

test('a plugin can change the arguments, the tool and the result of a call', async () => {
  const managed = await open({
    content: [
      policy({ name: 'echo__add', action: 'params', value: '{"arguments":{"a":20,"b":1}}' }),
      policy({ name: 'echo__greet', action: 'params', value: '{"name":"echo__plain"}' }, { name: 'b' }),
      policy({ name: 'memo://one', action: 'params', value: '{"uri":"memo://empty"}' }, { name: 'c' }),
      policy({ name: 'secret', action: 'redact', value: '[gone]' }, { name: 'd' }),
      policy({ name: 'echo__echo', action: 'move', value: 'structured' }, { name: 'e' }),
    ],
  });
  const client = await managed.connect();
  expect(await run(client, 'return tools.echo.add{ a = 1, b = 2 }')).toBe('21');
  expect(await run(client, 'return prompts.echo.greet{ name = "x" }.messages[1].content.text')).toContain(
    'plain',
  );
  expect(await run(client, 'return resources.echo.read{ uri = "memo://one" } == ""')).toBe('true');
  expect(
    await run(client, 'return tools.echo.schema{ place = { city = "secret" } }.place.city == "[gone]"'),
  ).toBe('true');
  expect(await run(client, 'return tools.echo.echo{ message = "x" }.city')).toBe('Oslo');
});

test.each([
  [
    { action: 'method', value: 'tools/list' },
    /a plugin changed the method of a script’s call, which must be tools\/call/,
  ],
  [
    { action: 'path', value: '/api/v1/servers' },
    /can only send calls of scripts to \/mcp and \/mcp\/\{server\}, not to \/api\/v1\/servers/,
  ],
  [{ action: 'params', value: '{"name":"nothing"}' }, /echo\/add: Unknown tool: "nothing"/],
  [{ action: 'params', value: '{"name":5}' }, /`name` must be a string/],
])('a request that a plugin changed as follows is an error of the script: %o', async (rule, message) => {
  const managed = await open({ content: [policy({ name: 'echo__add', ...rule })] });
  expect(await run(await managed.connect(), 'return tools.echo.add{ a = 1, b = 2 }')).toMatch(message);
});

test.each([
  ['"content"', '"content":5,"x"', /echo\/add: malformed result: `content` /],
  ['"jsonrpc"', 'x', /echo\/add: a plugin changed the response to invalid JSON: \{x/],
])('a result in which a plugin replaced %s is an error of the script', async (name, value, message) => {
  const managed = await open({
    content: [policy({ name, action: 'redact', value }, { flows: ['response'] })],
  });
  const script = 'local ok, why = pcall(tools.echo.add, { a = 1, b = 2 })\nreturn why';
  const sent = await sendStateless(managed.origin, 'tools/call', {
    params: { name: 'run_script', arguments: { script } },
  });
  // The plugin also changed the response that contains the error.
  expect((await sent.text()).replaceAll(String.raw`\"`, '"')).toMatch(message);
});

test('each call is checked with the headers that the client sent, as plugins changed them', async () => {
  const managed = await open(
    { content: [policy({ action: 'tenant', value: 'X-Tenant' })] },
    { keys: [keyOf('adder', { tools: ['echo/add'] }), keyOf('echoer', { tools: ['echo/echo'] })] },
  );
  const tenant = (name: string): Promise<Client> => managed.connect('/mcp', { 'x-tenant': bearer(name) });
  const script = 'return tools.echo.add{ a = 1, b = 2 }';
  expect(await run(await tenant('adder'), script)).toBe('3');
  expect(await run(await tenant('echoer'), script)).toContain('line 1: tool not allowed: echo/add');
});

test('a plugin can run a call with another key', async () => {
  const managed = await open(
    { content: [policy({ name: 'echo__add', action: 'authorize', value: bearer('narrow') })] },
    { keys: [keyOf('all'), keyOf('narrow', { tools: ['echo/echo'] })] },
  );
  const client = await managed.connect('/mcp', { authorization: bearer('all') });
  expect(await run(client, 'return tools.echo.add{ a = 1, b = 2 }')).toContain('tool not allowed: echo/add');
  expect(await run(client, 'return tools.echo.echo{ message = "x" }')).toBe('x');
});

test('the calls of a script end with its key', async () => {
  let keys: readonly KeyRecord[] = [keyOf('short'), keyOf('other')];
  const managed = await open({ audit: [policy({})] }, { keys: () => keys });
  const client = await managed.connect('/mcp', { authorization: bearer('short') });
  const held = managed.nextLogLine('echo', /^holding ended/);
  const running = run(
    client,
    'tools.echo.hold{ key = "ended" }\nlocal ok, why = pcall(tools.echo.add, { a = 1, b = 2 })\nreturn why',
  );
  await held;
  keys = [keyOf('other')];
  const other = await managed.connect('/mcp', { authorization: bearer('other') });
  await run(other, 'return tools.echo.release{ key = "ended" }');
  expect(await running).toContain('echo/add: rejected with status 401: Invalid API key.');
});

test('each call counts once against the rate limit, in metrics and in the audit log', async () => {
  const { audit, entries } = recordedAudit();
  const managed = await open(
    { audit: [policy({})] },
    { audit, keys: [keyOf('slow', { rate: '5/h' }), keyOf('reader')] },
  );
  const send = async (script: string): Promise<string> => {
    const params = { name: 'run_script', arguments: { script } };
    const headers = { authorization: bearer('slow') };
    return await (await sendStateless(managed.origin, 'tools/call', { params, headers })).text();
  };
  const counted = async (line: RegExp): Promise<number> =>
    Number(line.exec(await managed.context.kernel.metrics.metrics())?.[1] ?? 0);
  const requests = /^http_request_duration_seconds_count\{.*route="\/mcp".*\} (\d+)$/m;
  // One request runs the script, so the key allows four calls.
  const text = await send('for i = 1, 5 do tools.echo.add{ a = 1, b = i } end');
  expect(text).toContain('exceeded its rate limit of 5/h');
  expect(text).toContain('echo/add (4 times)');
  expect(await counted(requests)).toBe(1);
  expect(await counted(/^mcp_script_calls_total\{outcome="ok"\} (\d+)$/m)).toBe(4);
  expect(await counted(/^mcp_script_calls_total\{outcome="error"\} (\d+)$/m)).toBe(1);
  expect(entries.map(({ name, outcome }) => [name, outcome])).toEqual([
    ...Array.from({ length: 4 }, () => ['add', 'ok']),
    ['run_script', 'tool-error'],
  ]);
  const ids = new Set(entries.map(({ call }) => call.requestId));
  expect(ids.size).toBe(1);
});

test('an approval pauses a script behind plugins, and plugins see the call once', async () => {
  const file = join(folder(), 'seen');
  const managed = await open({ audit: [policy({ file })] }, { servers: WITH_APPROVALS });
  const person = await managed.connect('/mcp', {}, { elicitation: {} });
  const questions: string[] = [];
  person.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { allow: questions.length === 1 } };
  });
  const script =
    'local first = tools.asks.add{ a = 2, b = 2 }\nreturn { first, (pcall(tools.asks.add, { a = 3, b = 3 })) }';
  expect(JSON.parse(await run(person, script))).toEqual(['4', false]);
  expect(questions).toHaveLength(2);
  const seen = readFileSync(file, 'utf8').match(/"name":"asks__add"/g);
  expect(seen).toHaveLength(2);
});

test('an approval of a client without a session does not repeat calls or their plugins', async () => {
  const file = join(folder(), 'seen');
  const managed = await open({ audit: [policy({ file })] }, { servers: WITH_APPROVALS });
  const script = 'return { tools.echo.add{ a = 1, b = 1 }, tools.asks.add{ a = 2, b = 2 } }';
  const params = { name: 'run_script', arguments: { script } };
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const send = async (more: object): Promise<Record<string, unknown>> => {
    const sent = await sendStateless(managed.origin, 'tools/call', { params: { ...params, ...more }, meta });
    return ((await sent.json()) as { result: Record<string, unknown> }).result;
  };
  const asked = await send({});
  const requests = isObject(asked['inputRequests']) ? Object.keys(asked['inputRequests']) : [];
  const accept = { action: 'accept', content: { allow: true } };
  const inputResponses = Object.fromEntries(requests.map((key) => [key, accept]));
  const done = await send({ inputResponses, requestState: asked['requestState'] });
  expect(done).toMatchObject({ content: [{ text: '["2","4"]' }] });
  const seen = readFileSync(file, 'utf8');
  expect(seen.match(/"name":"echo__add"/g)).toHaveLength(1);
  expect(seen.match(/"name":"asks__add"/g)).toHaveLength(1);
});

test('a plugin that does not respond in time fails the call if it is required, and is skipped otherwise', async () => {
  const silent = { name: 'echo__add', action: 'silent' };
  const script = 'return tools.echo.add{ a = 1, b = 2 }';
  const strict = await open({ audit: [policy(silent, { timeout: '50ms' })] });
  expect(await run(await strict.connect(), script)).toContain(
    'line 1: echo/add: rejected with status 500: Request processing failed',
  );
  const lenient = await open({ audit: [policy(silent, { timeout: '50ms', required: false })] });
  expect(await run(await lenient.connect(), script)).toBe('3');
});

test('calls of scripts in a group, and of clients with an event stream, pass plugins', async () => {
  const file = join(folder(), 'seen');
  const managed = await open(
    { audit: [policy({ file })] },
    {
      servers: WITH_APPROVALS,
      groups: [{ name: 'few', servers: ['asks'], tools: [], prompts: [], resources: [] }],
    },
  );
  const member = await managed.connect('/groups/few/mcp');
  expect(await run(member, 'return tools.echo.add{ a = 1, b = 2 }')).toContain('server not allowed: echo');
  const listener = new Client({ name: 'test', version: '1.0.0' });
  await listener.connect(new SSEClientTransport(new URL('/sse', managed.origin)));
  onTestFinished(() => listener.close());
  expect(await run(listener, 'return tools.echo.add{ a = 1, b = 2 }')).toBe('3');
  const paths = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { path: string; message: Sent })
    .flatMap(({ path, message }) => (message.params?.['name'] === 'echo__add' ? [path] : []));
  expect(paths).toEqual(['/groups/few/mcp', '/mcp']);
});

test('errors of tools are the same as without plugins', async () => {
  const script = [
    'local function why(f, args) return (select(2, pcall(f, args))) end',
    'return { why(tools.echo["is-error"], {}), why(tools.echo["rpc-error"], {}), why(tools.echo.nothing, {}),',
    '  why(tools.nothing.x, {}), why(tools.echo.add, { a = "x" }), why(resources.echo.read, { uri = "memo://none-at-all/x" }) }',
  ].join('\n');
  const plain = await open({});
  const inspected = await open({ audit: [policy({})] });
  expect(await run(await inspected.connect(), script)).toBe(await run(await plain.connect(), script));
});
