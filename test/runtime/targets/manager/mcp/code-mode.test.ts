import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCRIPT_DEFAULTS } from '#manager/scripts/limits.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { recordedAudit } from '../recorded-audit.ts';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';
import { sendStateless } from './stateless-request.ts';

const { audit, entries } = recordedAudit();
let managed: Managed;
let client: Client;
beforeAll(async () => {
  managed = await openManager({
    mode: 'code',
    audit,
    groups: [{ name: 'weather', servers: ['camel'], tools: [], prompts: [], resources: [] }],
    servers: [
      serverSpec('echo', 'echo'),
      serverSpec('camel', 'camel-case-tools'),
      serverSpec('asks', 'echo', { approvals: [{ tools: ['add'], action: 'ask' }] }),
    ],
    keys: [
      keyOf('all', {}),
      keyOf('narrow', { tools: ['echo/add'] }),
      keyOf('slow', { rate: '10/h' }),
      keyOf('slow prompts', { rate: '10/h' }),
      keyOf('readers', { resources: ['echo/memo://one'], prompts: ['echo/greet'] }),
      keyOf('limited', { resultLimit: 4000 }),
    ],
    scripts: { ...SCRIPT_DEFAULTS, calls: 20 },
  });
  await Promise.all(['echo', 'camel', 'asks'].map((name) => managed.running(name)));
  client = await managed.connect('/mcp', withKey('all'));
});
afterAll(() => managed.close());

const withKey = (name: string): Record<string, string> => ({ authorization: bearer(name) });

interface Result {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
}

const call = async (name: string, args: object, from = client): Promise<Result> =>
  (await from.callTool({ name, arguments: { ...args } })) as unknown as Result;
const run = (script: string, from?: Client): Promise<Result> => call('run_script', { script }, from);
const textOf = ({ content }: Result): string => content[0]?.text ?? '';
const valueOf = async (script: string, from?: Client): Promise<unknown> =>
  JSON.parse(textOf(await run(script, from)));

test('in code mode, /mcp lists exactly two tools, but a single server still lists its own', async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'run_script']);
  expect(client.getInstructions()).toContain('run_script');
  const one = await managed.connect('/mcp/echo', withKey('all'));
  expect((await one.listTools()).tools.length).toBeGreaterThan(2);
});

test('search_tools shows how scripts call the tools', async () => {
  const found = textOf(await call('search_tools', { query: 'echo adds numbers', limit: 1 }));
  expect(found).toBe('-- Adds two numbers.\ntools.echo.add{ a: number, b: number } -> any');
  expect(textOf(await call('search_tools', { query: 'echo sleep until', limit: 1 }))).toContain(
    'tools.echo["sleep-until-cancelled"]{} -> any',
  );
  expect(textOf(await call('search_tools', { query: 'xyzzy' }))).toBe('No tools found. Try other words.');
});

test('a script calls tools of several servers, in parallel, and returns only its value', async () => {
  expect(
    await valueOf(`
      local sums = parallel({ 1, 2, 3 }, function(n) return tools.echo.add{ a = n, b = 10 } end)
      local city = tools.echo.structured{}
      local nested = tools.echo.schema{ place = { city = "Oslo" } }
      return { sums = sums, city = city.city, nested = nested.place.city }`),
  ).toEqual({ sums: ['11', '12', '13'], city: 'Oslo', nested: 'Oslo' });
  expect(textOf(await run('return "plain text"'))).toBe('plain text');
  expect(textOf(await run('print(1)'))).toBe(
    'The script returned no value. The output of print is discarded; use return.',
  );
});

test('numbers keep all their digits', async () => {
  expect(textOf(await run('return tools.echo.number{ value = 9007199254740993 }.value'))).toBe(
    '9007199254740993',
  );
});

test('images are handles, which a script can return or pass on', async () => {
  const { content } = await run(
    'local blocks = tools.echo.blocks{}\nreturn { text = blocks[1].text, image = blocks[2] }',
  );
  expect(JSON.parse(content[0]?.text ?? '')).toEqual({
    text: 'one',
    image: { type: 'image', mimeType: 'image/png', data: '[image 1]' },
  });
  expect(content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' });
  const passed = await valueOf(
    'local image = tools.echo.image{}[1]\nreturn #tools.echo.echo{ message = image.data }',
  );
  expect(passed).toBe((content[1] as unknown as { data: string }).data.length);
});

test('failures of tools are Lua errors with a line, and the result lists the calls that succeeded', async () => {
  const failed = await run('tools.echo.add{ a = 1, b = 2 }\ntools.echo["is-error"]{ message = "no disk" }');
  expect(failed).toEqual({
    isError: true,
    content: [
      {
        type: 'text',
        text: 'The script failed: line 2: echo/is-error: no disk\n  2 | tools.echo["is-error"]{ message = "no disk" }\nCalls that succeeded before: echo/add.',
      },
    ],
  });
  expect(textOf(await run('return tools.echo["rpc-error"]{}'))).toContain(
    'line 1: tool call failed: echo/rpc-error',
  );
  expect(textOf(await run('return tools.nothing.x{}'))).toContain('line 1: server not found: nothing');
  expect(textOf(await run('return tools.echo.nothing{}'))).toContain('line 1: tool not found: echo/nothing');
  expect(await valueOf('return { pcall(function() return tools.echo["is-error"]{} end) }')).toEqual([
    false,
    'script:1: echo/is-error: It went wrong.',
  ]);
});

test('the permissions of a key apply to each call, and to the search', async () => {
  const narrow = await managed.connect('/mcp', withKey('narrow'));
  expect(textOf(await call('search_tools', { query: '' }, narrow))).toBe(
    '-- Adds two numbers.\ntools.echo.add{ a: number, b: number } -> any',
  );
  expect(textOf(await run('return tools.echo.add{ a = 1, b = 2 }', narrow))).toBe('3');
  expect(textOf(await run('return tools.echo.echo{ message = "x" }', narrow))).toContain(
    'tool not allowed: echo/echo',
  );
  expect(textOf(await run('return tools.camel.getWeather{}', narrow))).toContain('server not allowed: camel');
});

test('a script gets prompts and reads resources', async () => {
  expect(
    await valueOf(`
      local prompt = prompts.echo.greet{ name = "Ann" }
      local texts = parallel({ "memo://one", "memo://empty" }, function(uri) return resources.echo.read{ uri = uri } end)
      return { role = prompt.messages[1].role, text = prompt.messages[1].content.text, texts = texts }`),
  ).toEqual({ role: 'user', text: 'greet {"name":"Ann"}', texts: ['The first memo.', ''] });
  const { content } = await run('return resources.echo.read{ uri = "memo://blob" }[1].blob');
  const resource = { uri: 'memo://blob', mimeType: 'application/octet-stream', blob: 'AAEC' };
  expect(content).toEqual([
    { type: 'text', text: '[resource 1]' },
    { type: 'resource', resource },
  ]);
});

test('requests of prompts and resources in scripts have the same checks as those of the client', async () => {
  const readers = await managed.connect('/mcp', withKey('readers'));
  expect(textOf(await run('return resources.echo.read{ uri = "memo://one" }', readers))).toBe(
    'The first memo.',
  );
  const failed = await run('resources.echo.read{ uri = "memo://one" }\nreturn prompts.echo.plain{}', readers);
  expect(textOf(failed)).toContain('line 2: prompt not allowed: echo/plain');
  expect(textOf(failed)).toContain('Calls that succeeded before: echo/memo://one.');
  for (const [script, error] of [
    ['return resources.echo.read{ uri = "memo://blob" }', 'line 1: resource not allowed: echo: memo://blob'],
    ['return resources.camel.read{ uri = "memo://one" }', 'line 1: server not allowed: camel'],
    ['return resources.echo.list{}', 'line 1: use resources.server.read{ uri = "..." }'],
    ['return resources.echo.read{}', 'line 1: read takes the URI of a resource as a text'],
    ['return prompts.echo.greet{ name = 5 }', 'line 1: the arguments of a prompt must be texts'],
  ] as const)
    expect(textOf(await run(script, readers))).toContain(error);
  const slow = await managed.connect('/mcp', withKey('slow prompts'));
  const many = 'for i = 1, 12 do prompts.echo.plain{} end';
  expect(textOf(await run(many, slow))).toContain('exceeded its rate limit');
});

test('a script in a group can only call the tools of the group', async () => {
  const member = await managed.connect('/groups/weather/mcp', withKey('all'));
  expect(textOf(await call('search_tools', { query: '' }, member))).not.toContain('tools.echo');
  expect(textOf(await run('return tools.echo.add{ a = 1, b = 2 }', member))).toContain(
    'server not allowed: echo',
  );
  expect((await run('return tools.camel.getWeather{ city = "Oslo" }', member)).isError).toBeUndefined();
});

test('a script reports the progress of its calls to clients that request it', async () => {
  const reports: unknown[] = [];
  const script = 'for i = 1, 3 do tools.echo.add{ a = i, b = i } end';
  await client.callTool({ name: 'run_script', arguments: { script } }, undefined, {
    onprogress: ({ progress, message }) => void reports.push([progress, message]),
  });
  expect(reports).toEqual([1, 2, 3].map((progress) => [progress, 'echo/add']));
});

test('each call counts against the rate limit of the key', async () => {
  const slow = await managed.connect('/mcp', withKey('slow'));
  const text = textOf(await run('for i = 1, 11 do tools.echo.add{ a = 1, b = i } end', slow));
  expect(text).toContain('line 1: The key "slow" exceeded its rate limit of 10/h.');
  // Connecting and running the script took some requests.
  expect(Number(/echo\/add \((\d+) times\)/.exec(text)?.[1])).toBeLessThan(9);
});

test('a script cannot make more calls than its limit', async () => {
  const failed = await run('for i = 1, 100 do pcall(tools.echo.add, { a = 1, b = i }) end');
  expect(textOf(failed)).toBe(
    'The script failed: it exceeded its limit of 20 calls\nCalls that succeeded before: echo/add (20 times).',
  );
});

test('globals of a script are not visible to the next one', async () => {
  await run('leaked = 1\nstring.leaked = 2\nreturn 1');
  expect(await valueOf('return { leaked == nil, string.leaked == nil }')).toEqual([true, true]);
});

test('the audit log has a line for the script, and its calls name the script as their parent', async () => {
  entries.length = 0;
  await run('tools.echo.add{ a = 1, b = 2 }\ntools.echo.nothing{}');
  const [first, second, script] = entries;
  expect(script).toMatchObject({
    kind: 'script',
    name: 'run_script',
    outcome: 'tool-error',
    script: { calls: 2 },
  });
  const id = script?.script?.id;
  expect(
    [first, second].map((entry) => [entry?.server, entry?.name, entry?.outcome, entry?.call.script]),
  ).toEqual([
    ['echo', 'add', 'ok', id],
    ['echo', 'nothing', 'NotFoundError', id],
  ]);
});

test('the metrics count scripts and their calls', async () => {
  const before = await managed.context.kernel.metrics.metrics();
  const valueIn = (text: string, line: string): number =>
    Number(
      text
        .split('\n')
        .find((one) => one.startsWith(`${line} `))
        ?.split(' ')[1] ?? 0,
    );
  await run('tools.echo.add{ a = 1, b = 2 }');
  const after = await managed.context.kernel.metrics.metrics();
  for (const line of ['mcp_scripts_total{outcome="ok"}', 'mcp_script_calls_total{outcome="ok"}'])
    expect(valueIn(after, line)).toBe(valueIn(before, line) + 1);
  expect(valueIn(after, 'mcp_scripts_running')).toBe(0);
});

test('a long return value is shortened for clients with a limit, and can be read completely', async () => {
  const limited = await managed.connect('/mcp', withKey('limited'));
  const { tools } = await limited.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'run_script', 'mcp_manager_read_more']);
  const { content } = await run('tools.echo.add{ a = 1, b = 2 }\nreturn ("0123456789"):rep(1000)', limited);
  expect(content[0]?.text.length).toBeLessThan(4000);
  const args = /mcp_manager_read_more (\{.*\})/.exec(content[1]?.text ?? '')?.[1] ?? '';
  const rest = await call('mcp_manager_read_more', JSON.parse(args) as object, limited);
  expect(textOf(rest)).toMatch(/^\d+$/);
});

test('an approval pauses the script of a client with a session, without repeating other calls', async () => {
  entries.length = 0;
  const person = await managed.connect('/mcp', withKey('all'), { elicitation: {} });
  const questions: string[] = [];
  person.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { allow: questions.length === 1 } };
  });
  const script = `
    local first = tools.echo.add{ a = 1, b = 1 }
    local second = tools.asks.add{ a = 2, b = 2 }
    local ok, why = pcall(tools.asks.add, { a = 3, b = 3 })
    return { first, second, ok, why }`;
  expect(await valueOf(script, person)).toEqual([
    '2',
    '4',
    false,
    'tool not approved: asks/add: the user declined.',
  ]);
  expect(questions).toEqual([
    'Allow a call to the tool asks/add with these arguments? {"a":2,"b":2}',
    'Allow a call to the tool asks/add with these arguments? {"a":3,"b":3}',
  ]);
  expect(entries.map(({ name, approval }) => [name, approval])).toEqual([
    ['add', undefined],
    ['add', 'accepted'],
    ['add', 'declined'],
    ['run_script', undefined],
  ]);
  // Without elicitation, a call that requires an approval fails.
  expect(textOf(await run('return tools.asks.add{ a = 1, b = 1 }'))).toContain(
    'tool requires confirmation: asks/add',
  );
});

test('an approval is an input_required result for a client without a session, and the script continues', async () => {
  entries.length = 0;
  const params = {
    name: 'run_script',
    arguments: {
      script: `local first = tools.echo.add{ a = 1, b = 1 }
        local both = parallel({ 2, 3 }, function(n) return tools.asks.add{ a = n, b = n } end)
        return { first, both }`,
    },
  };
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const send = async (more: object): Promise<Record<string, Record<string, unknown>>> => {
    const sent = { params: { ...params, ...more }, meta, headers: withKey('all') };
    return (await (await sendStateless(managed.origin, 'tools/call', sent)).json()) as never;
  };
  const asked = (await send({}))['result'] ?? {};
  expect(asked['resultType']).toBe('input_required');
  const accept = { action: 'accept', content: { allow: true } };
  let current: Record<string, unknown> = asked;
  // The questions of both calls arrive in one round or in two.
  for (let round = 0; round < 2 && current['resultType'] === 'input_required'; round += 1) {
    const { inputRequests, requestState } = current as { inputRequests: object; requestState: string };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, accept]));
    current = (await send({ inputResponses, requestState }))['result'] ?? {};
  }
  expect(JSON.parse(textOf(current as unknown as Result))).toEqual(['2', ['4', '6']]);
  expect(entries.map(({ name }) => name)).toEqual(['add', 'add', 'add', 'run_script']);
});

test('canceling a script cancels its calls', async () => {
  const stop = new AbortController();
  const held = managed.nextLogLine('echo', /^holding canceled/);
  const script = 'return tools.echo.hold{ key = "canceled" }';
  const running = client.callTool({ name: 'run_script', arguments: { script } }, undefined, {
    signal: stop.signal,
  });
  const failed = running.catch((error: unknown) => error);
  await held;
  stop.abort('enough');
  expect(String(await failed)).toContain('enough');
  await run('return tools.echo.release{ key = "canceled" }');
});

test('the script arguments are checked', async () => {
  await expect(run(5 as unknown as string)).rejects.toMatchObject({ code: -32_602 });
  expect(textOf(await run(`return "${'x'.repeat(70_000)}"`))).toBe(
    'The script failed: it has 70009 characters; the maximum is 65536',
  );
  await expect(call('search_tools', { query: 'x', details: 5 })).rejects.toMatchObject({ code: -32_602 });
});

test('a client that knows the name of a tool can call it directly', async () => {
  expect(textOf(await call('echo__add', { a: 1, b: 2 }))).toBe('3');
});

test('a script that computes for long does not delay the calls of other clients', async () => {
  const started = managed.nextLogLine('echo', /^computing/);
  let hasEnded = false;
  const busy = run('tools.echo.log{ text = "computing" }\nlocal n = 0\nwhile true do n = n + 1 end').then(
    (result) => {
      hasEnded = true;
      return result;
    },
  );
  await started;
  const other = await managed.connect('/mcp', withKey('all'));
  for (let at = 0; at < 10; at += 1)
    expect(textOf(await call('echo__add', { a: at, b: 1 }, other))).toBe(`${at + 1}`);
  expect(hasEnded).toBe(false);
  // On a busy machine, the time limit is reached first.
  expect(textOf(await busy)).toMatch(/it exceeded its (?:limit of 50000000 instructions|time limit of 10 s)/);
});
