import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import type { ToolCaller } from '#manager/access/caller.ts';
import { createCallerGroups } from '#manager/access/groups.ts';
import type { KeyRecord } from '#manager/access/key-file.ts';
import { createManagerAccess } from '#manager/access/manager-access.ts';
import { itemHash } from '#manager/config/item-definition.ts';
import type { ServerSpec } from '#manager/config/spec.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { serverSpec } from '../server-spec.ts';
import { callOf, type TestManager, useManager } from '../use-manager.ts';

const start = useManager();
const ENV = { LIST_CHANGED: '1' };
const SERVER = serverSpec('changing', 'changing', { env: ENV });

/** Calls a tool; returns its text or the error message. */
async function outcome(manager: TestManager, tool: string, caller?: ToolCaller): Promise<string> {
  try {
    const call = { ...callOf('changing', caller && { caller }), tool, args: {} };
    const { content } = await manager.calls.callTool(call);
    return String(content?.[0]?.text);
  } catch (error) {
    return AppError.from(error).message;
  }
}

/** A manager whose tools have been called, so that decisions about them are cached. */
async function used(): Promise<TestManager> {
  const manager = start([SERVER]);
  for (let i = 0; i < 3; i += 1) expect(await outcome(manager, 'one')).toBe('one');
  return manager;
}

interface Case {
  readonly changes: Partial<ServerSpec>;
  readonly tool?: string;
  readonly next: string | RegExp;
}

const PINNED = { name: 'one', description: 'Another.', inputSchema: { type: 'object' } };

/** The effect of each server setting on a tool call; `none` if it has no effect. */
const SETTINGS: Readonly<Record<keyof ServerSpec, readonly Case[] | 'none'>> = {
  tools: [
    { changes: { tools: { allow: ['two'], deny: [] } }, next: 'tool not allowed: changing/one' },
    { changes: { tools: { allow: ['*'], deny: ['o*'] } }, next: 'tool not allowed: changing/one' },
  ],
  readOnly: [{ changes: { readOnly: true }, next: 'tool not allowed: changing/one' }],
  toolOverrides: [
    {
      changes: { toolOverrides: { one: { rename: 'first', annotations: {}, hidden: false } } },
      next: /^tool renamed: changing\/one is now changing\/first/,
    },
    {
      changes: { toolOverrides: { one: { rename: 'first', annotations: {}, hidden: false } } },
      tool: 'first',
      next: 'one',
    },
  ],
  approvals: [
    { changes: { approvals: [{ tools: ['one'], action: 'deny' }] }, next: /^tool denied: changing\/one/ },
    {
      changes: { approvals: [{ tools: ['*'], when: 'destructive', action: 'ask' }] },
      next: /^tool requires confirmation: changing\/one/,
    },
    { changes: { approvals: [{ tools: ['two'], action: 'deny' }] }, next: 'one' },
  ],
  pins: [
    {
      changes: { pins: { onChange: 'block', scope: 'complete', hashes: {} } },
      next: /^tool blocked: changing\/one: it is not pinned/,
    },
    {
      changes: {
        pins: { onChange: 'block', scope: 'complete', hashes: { tools: { one: itemHash('tools', PINNED) } } },
      },
      next: /^tool blocked: changing\/one: it differs/,
    },
    { changes: { pins: { onChange: 'warn', scope: 'complete', hashes: {} } }, next: 'one' },
  ],
  scan: [
    { changes: { scan: { definitions: 'block', results: 'block' } }, next: 'one' },
    { changes: { scan: { definitions: 'off', results: 'warn' } }, next: 'one' },
  ],
  launch: [
    {
      changes: serverSpec('changing', 'changing', { env: { ...ENV, TOOLS: '["two"]' } }),
      next: 'tool not found: changing/one',
    },
  ],
  concurrency: [{ changes: { concurrency: 1, queue: 0 }, next: 'one' }],
  queue: 'none',
  extensions: 'none',
  // Read for each call.
  timeouts: 'none',
  name: 'none',
  prompts: 'none',
  resources: 'none',
  lazy: 'none',
  idleMs: 'none',
  maxInstances: 'none',
};

const CASES = Object.entries(SETTINGS).flatMap(([setting, cases]) =>
  cases === 'none' ? [] : cases.map((one) => ({ setting, ...one })),
);

test.each(CASES)(
  'the next call uses a reloaded configuration with changed $setting',
  async ({ changes, tool, next }) => {
    const manager = await used();
    await manager.supervisor.apply([{ ...SERVER, ...changes }]);
    expect(await outcome(manager, tool ?? 'one')).toMatch(next);
    await manager.supervisor.apply([SERVER]);
    expect(await outcome(manager, 'one')).toBe('one');
  },
);

test('the next call fails after its server was removed, and uses a new server that has the same name', async () => {
  const manager = await used();
  await manager.supervisor.apply([]);
  expect(await outcome(manager, 'one')).toBe('server not found: changing');
  await manager.supervisor.apply([serverSpec('changing', 'changing', { env: { TOOLS: '["two"]' } })]);
  expect(await outcome(manager, 'one')).toBe('tool not found: changing/one');
  expect(await outcome(manager, 'two')).toBe('two');
});

test("the next call uses the server's changed tools after an announcement or a restart", async () => {
  const manager = await used();
  const become = { ...callOf('changing'), tool: 'become', args: { tools: ['two'] } };
  await manager.calls.callTool(become);
  await manager.calls.callTool({ ...callOf('changing'), tool: 'announce', args: {} });
  await expect.poll(() => outcome(manager, 'one')).toBe('tool not found: changing/one');
  await manager.server('changing').restart();
  await expect.poll(() => outcome(manager, 'one')).toBe('one');
});

test('a changed annotation in the tool list applies to the next call', async () => {
  const manager = await used();
  const reader: ToolCaller = {
    name: 'r',
    admin: false,
    readOnly: true,
    canUse: () => true,
    canRead: () => true,
  };
  expect(await outcome(manager, 'one', reader)).toBe('tool not allowed: changing/one');
  const readOnly = { name: 'one', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
  await manager.calls.callTool({ ...callOf('changing'), tool: 'become', args: { tools: [readOnly] } });
  await manager.calls.callTool({ ...callOf('changing'), tool: 'announce', args: {} });
  await expect.poll(() => outcome(manager, 'one', reader)).toBe('one');
});

/** Whether the next call with a changed key can call the tool `one`; `none` for members without an effect on calls. */
const KEY_CHANGES: Readonly<Record<keyof KeyRecord, readonly Partial<KeyRecord>[] | 'none'>> = {
  servers: [{ servers: ['other'] }],
  tools: [{ tools: ['changing/two'] }, { tools: ['other/*'] }],
  prompts: [{ prompts: ['changing/*'] }],
  resources: [{ resources: ['changing/*'] }],
  groups: [{ groups: ['empty'] }, { groups: ['unknown'] }],
  readOnly: [{ readOnly: true }],
  expires: [{ expires: '2026-01-01T00:00:00.000Z' }],
  revoked: [{ revoked: '2026-01-01T00:00:00.000Z' }],
  hash: [{ hash: keyOf('another').hash }],
  id: 'none',
  name: 'none',
  rate: 'none',
  resultLimit: 'none',
  mcpMode: 'none',
  admin: 'none',
  adminReadOnly: 'none',
  edit: 'none',
  created: 'none',
};

const KEY_CASES = Object.entries(KEY_CHANGES).flatMap(([member, all]) =>
  all === 'none' ? [] : all.map((changes) => ({ member, changes })),
);

test.each(KEY_CASES)(
  "the next call reflects a change of the key's $member: $changes",
  async ({ changes }) => {
    const key = keyOf('mcpm_k', { tools: ['changing/o*', 'changing/two'] });
    let keys: readonly KeyRecord[] = [key];
    const groups = createCallerGroups([
      { name: 'empty', servers: ['other'], tools: [], prompts: [], resources: [] },
    ]);
    const access = createManagerAccess({ keys: () => keys }, Date.now, undefined, groups);
    const signIn = (): ToolCaller => access.check(bearer('mcpm_k'));
    /** A new request, and a request on a stream that was opened before. */
    const outcomes = async (manager: TestManager, open: ToolCaller): Promise<readonly string[]> => {
      let next: string;
      try {
        next = await outcome(manager, 'one', signIn());
      } catch (error) {
        next = AppError.from(error).code;
      }
      return [next, await outcome(manager, 'one', open)];
    };
    const manager = await used();
    const open = signIn();
    for (let i = 0; i < 2; i += 1) expect(await outcomes(manager, open)).toEqual(['one', 'one']);
    keys = [{ ...key, tools: [], ...changes }];
    const [next, later] = await outcomes(manager, open);
    expect(next).toMatch(/not allowed|UnauthorizedError/);
    // Permissions are checked again; whether a key is read-only is decided when a stream is opened.
    expect('readOnly' in changes ? 'not allowed' : later).toMatch(/not allowed/);
    keys = [key];
    expect(await outcomes(manager, open)).toEqual(['one', 'one']);
  },
);

test('the next call reflects changed groups', async () => {
  const key = keyOf('mcpm_k', { groups: ['team'] });
  const team = { name: 'team', servers: ['changing'], tools: [], prompts: [], resources: [] };
  const groups = createCallerGroups([team]);
  const access = createManagerAccess({ keys: () => [key] }, Date.now, undefined, groups);
  const manager = await used();
  const callers = (): readonly ToolCaller[] => {
    const caller = access.check(bearer('mcpm_k'));
    return [caller, groups.enter(caller, 'team')];
  };
  const open = callers();
  const all = async (): Promise<readonly string[]> =>
    await Promise.all([...open, ...callers()].map((caller) => outcome(manager, 'one', caller)));
  expect(await all()).toEqual(['one', 'one', 'one', 'one']);
  groups.replace([{ ...team, servers: [], tools: ['changing/two'] }]);
  expect(await all()).toEqual(Array.from({ length: 4 }, () => 'tool not allowed: changing/one'));
  groups.replace([team]);
  expect(await all()).toEqual(['one', 'one', 'one', 'one']);
});
