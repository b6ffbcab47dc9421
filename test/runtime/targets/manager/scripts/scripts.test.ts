import { afterEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createTracer } from '#serve/telemetry/create-tracer.ts';
import type { OtlpSpan } from '#serve/telemetry/otlp.ts';
import type { Tracer } from '#serve/telemetry/tracer.ts';
import type { ToolCaller } from '#manager/access/caller.ts';
import { ANYONE } from '#manager/access/caller.ts';
import { SCRIPT_DEFAULTS, type ScriptSettings } from '#manager/scripts/limits.ts';
import type { ScriptCall } from '#manager/scripts/running-script.ts';
import { createScripts, type Scripts } from '#manager/scripts/scripts.ts';
import type { ToolResult } from '#manager/shapes/results.ts';
import { handClock } from '#test/helpers/hand-clock.ts';
import { recordedAudit } from '../recorded-audit.ts';
import { serverSpec } from '../server-spec.ts';
import { type TestManager, useManager } from '../use-manager.ts';

const start = useManager();
const opened: Scripts[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((scripts) => scripts.close()));
});

const ask = [{ tools: ['add'], action: 'ask' }] as const;

async function open(settings: Partial<ScriptSettings> = {}, tracer?: Tracer) {
  const { audit, entries } = recordedAudit();
  const manager = start([serverSpec('echo', 'echo'), serverSpec('asks', 'echo', { approvals: ask })], {
    audit,
    ...(tracer && { tracer }),
  });
  await manager.phase('echo', 'running');
  const clock = handClock();
  const { calls, kernel } = manager;
  const scripts = createScripts({
    calls,
    clock,
    metrics: kernel.metrics,
    audit,
    settings: { ...SCRIPT_DEFAULTS, ...settings },
  });
  opened.push(scripts);
  return { manager, clock, scripts, entries };
}

const key = (name: string): ToolCaller => ({ ...ANYONE, name, user: `key ${name}` });
const call = (more: Partial<ScriptCall> = {}): ScriptCall => ({
  caller: ANYONE,
  requestId: 'request-1',
  signal: new AbortController().signal,
  ...more,
});
const errorOf = (running: Promise<unknown>): Promise<unknown> => running.catch((error: unknown) => error);
const textOf = ({ content }: ToolResult): string | undefined => content?.[0]?.text;
const hold = (name: string): string => `return tools.echo.hold{ key = "${name}" }`;
const holding = (manager: TestManager, name: string): Promise<string> =>
  manager.logged('echo', new RegExp(`^holding ${name}`));
const release = (manager: TestManager, name: string): Promise<ToolResult> =>
  manager.calls.callTool({
    caller: ANYONE,
    requestId: 'request-2',
    server: 'echo',
    tool: 'release',
    args: { key: name },
  });

test("a script's calls belong to the trace of the client's request", async () => {
  const spans: OtlpSpan[] = [];
  const queue = {
    add: ({ create }: { create: () => readonly OtlpSpan[] }) => void spans.push(...create()),
    close: () => Promise.resolve(),
  };
  const tracer = createTracer({ queue, clock: systemClock, sampled: 1 });
  const { scripts } = await open({}, tracer);
  const source = 'tools.echo.echo{ message = "a" }\ntools.echo.echo{ message = "b" }';
  // The thread starts with a script of another request.
  await scripts.run(call(), 'return 1');
  const span = tracer.startServer(new Headers());
  await span.run(() => scripts.run(call(), source));
  expect(spans.map(({ kind, traceId }) => [kind, traceId])).toEqual([
    [3, span.trace.traceId],
    [3, span.trace.traceId],
  ]);
});

test('the time limit ends a script that waits for a call, and cancels the call', async () => {
  const { manager, clock, scripts, entries } = await open();
  const running = scripts.run(call(), hold('late'));
  await holding(manager, 'late');
  clock.pass(SCRIPT_DEFAULTS.timeoutMs);
  const { result } = await running;
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe('The script failed: it exceeded its time limit of 60 s');
  await expect
    .poll(() => entries.map(({ name, outcome }) => [name, outcome]))
    .toEqual([
      ['run_script', 'tool-error'],
      ['hold', 'CancelledError'],
    ]);
});

test('the time that a person takes does not count', async () => {
  const { clock, scripts } = await open();
  const requester = {
    identity: {},
    capabilities: { elicitation: {} },
    request() {
      clock.pass(10 * SCRIPT_DEFAULTS.timeoutMs);
      return Promise.resolve({ action: 'accept', content: { allow: true } });
    },
  };
  const { result } = await scripts.run(call({ requester }), 'return tools.asks.add{ a = 1, b = 2 }');
  expect(textOf(result)).toBe('3');
});

test('a key uses at most half of the places, so that other keys are not blocked', async () => {
  const { manager, scripts } = await open({ parallel: 2 });
  const one = scripts.run(call({ caller: key('one') }), hold('one'));
  await holding(manager, 'one');
  let hasRun = false;
  const next = scripts.run(call({ caller: key('one') }), 'return 1').then(() => (hasRun = true));
  const { result } = await scripts.run(call({ caller: key('two') }), 'return 2');
  expect([textOf(result), hasRun]).toEqual(['2', false]);
  await release(manager, 'one');
  await Promise.all([one, next]);
  expect(hasRun).toBe(true);
});

test('a script that cannot run in time is rejected, and can be canceled while it waits', async () => {
  const { manager, clock, scripts } = await open({ parallel: 1 });
  const first = scripts.run(call(), hold('first'));
  await holding(manager, 'first');
  const stop = new AbortController();
  const canceled = errorOf(scripts.run(call({ signal: stop.signal }), 'return 1'));
  stop.abort();
  expect(await canceled).toMatchObject({ code: 'CancelledError' });
  const late = errorOf(scripts.run(call(), 'return 1'));
  await expect.poll(() => clock.waiting().length).toBe(2);
  clock.pass(SCRIPT_DEFAULTS.timeoutMs);
  expect(await late).toMatchObject({
    code: 'OverloadedError',
    message: 'too many scripts are running; retry in 1 s',
  });
  await first;
});

test('at most eight calls of a script run at a time', async () => {
  const { manager, scripts } = await open();
  const source = `local list = {}
    for i = 1, 4 do list[i] = i end
    return #parallel(list, function(i) return parallel(list, function(j)
      return tools.echo.hold{ key = "many" }
    end) end)`;
  const running = scripts.run(call(), source);
  await expect.poll(() => manager.server('echo').turns.running).toBe(8);
  const state = { isDone: false };
  const finished = running.then((ran) => {
    state.isDone = true;
    return ran;
  });
  while (!state.isDone) {
    expect(manager.server('echo').turns.running).toBeLessThanOrEqual(9);
    await release(manager, 'many');
  }
  expect(textOf((await finished).result)).toBe('4');
});

test('a thread is reused after a script, and replaced after a limit', async () => {
  const { scripts } = await open();
  const run = async (source: string): Promise<string | undefined> =>
    textOf((await scripts.run(call(), source)).result);
  expect(await run('x = 1\nreturn x')).toBe('1');
  expect(await run('return x == nil')).toBe('true');
  expect(await run('local s = ("x"):rep(1e9)')).toBe(
    'The script failed: it exceeded its memory limit of 64 MB',
  );
  expect(await run('return x == nil')).toBe('true');
});

test('values that need much memory outside Lua end the script, not the manager', async () => {
  const { scripts } = await open();
  const run = async (source: string): Promise<string | undefined> =>
    textOf((await scripts.run(call(), source)).result);
  for (const item of ['{}', '[]', '{"a":{}}', '""']) {
    const count = Math.floor(8e6 / (item.length + 1));
    const text = await run(`local t = json.decode("[" .. ('${item},'):rep(${count}) .. "1]")\nreturn #t`);
    expect(text).toMatch(/^\d+$|exceeded its memory limit/);
  }
  expect(await run('return 1')).toBe('1');
});

test('closing ends all scripts', async () => {
  const { manager, scripts } = await open();
  const running = errorOf(scripts.run(call(), hold('closed')));
  await holding(manager, 'closed');
  await scripts.close();
  expect(await running).toMatchObject({ code: 'InternalError' });
});
