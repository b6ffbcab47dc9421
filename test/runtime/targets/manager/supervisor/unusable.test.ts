import { expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { callOf, useManager } from '../use-manager.ts';

const start = useManager();
const PROBLEM = 'env.TOKEN: the variable TOKEN is not set. Set it.';
const echo = serverSpec('echo', 'echo');
const broken = { ...serverSpec('broken', 'echo'), launch: { kind: 'unusable', problem: PROBLEM } } as const;
const repaired = serverSpec('broken', 'echo');
const UNAVAILABLE = {
  code: 'UnavailableError',
  message: 'server not available: broken: env.TOKEN: the variable TOKEN is not set. Set it',
  retryAfterSeconds: undefined,
};

test.each([
  ['eager', broken],
  ['lazy', { ...broken, lazy: true }],
])('a server with invalid values fails with a reason, and the other servers start: %s', async (_, spec) => {
  const { calls, server, phase } = start([spec, echo]);
  await phase('echo', 'running');
  expect(await calls.callTool({ ...callOf('echo'), tool: 'add', args: { a: 1, b: 2 } })).toBeDefined();
  expect(server('broken').status()).toMatchObject({
    phase: 'failed',
    reason: 'env.TOKEN: the variable TOKEN is not set. Set it',
    nextStartAt: undefined,
    restarts: 0,
  });
  expect(server('broken').health()).toMatchObject({ status: 'unreachable' });
  await expect(calls.listTools(callOf('broken'))).rejects.toMatchObject(UNAVAILABLE);
  await expect(server('broken').restart()).rejects.toMatchObject(UNAVAILABLE);
  expect(server('broken').logs.last(1)).toMatchObject([
    { source: 'manager', text: 'not started: env.TOKEN: the variable TOKEN is not set. Set it' },
  ]);
});

test('a reload can repair an unusable server, and can change other servers while a server is unusable', async () => {
  const { supervisor, server, phase } = start([broken]);
  expect(await supervisor.apply([broken, echo])).toMatchObject({ added: ['echo'] });
  expect(server('broken').status().phase).toBe('failed');
  expect(await supervisor.apply([repaired, echo])).toMatchObject({ restarted: ['broken'] });
  await phase('broken', 'running');
});

test.each([
  ['new', [echo]],
  ['changed', [echo, repaired]],
])('a reload with invalid values for a %s server is not applied', async (_, before) => {
  const { supervisor, server, phase } = start(before);
  await phase('echo', 'running');
  for (const spec of [broken, { ...broken, lazy: true }]) {
    await expect(supervisor.apply([echo, spec])).rejects.toMatchObject({
      code: 'ConfigError',
      message:
        'Server broken failed to start: env.TOKEN: the variable TOKEN is not set. Set it. No changes were applied.',
    });
  }
  expect(supervisor.names()).toEqual(before.map(({ name }) => name).toSorted());
  expect(server('echo').status().phase).toBe('running');
});
