import { expect, test } from 'vitest';
import type { ServerSpec } from '#manager/config/spec.ts';
import { serverSpec } from '../server-spec.ts';
import { remoteLaunch, startRemote } from '../upstream/remote-fixture.ts';
import { callOf, useManager } from '../use-manager.ts';

const manage = useManager();
const remoteSpec = (url: string): ServerSpec => ({
  ...serverSpec('remote', 'echo'),
  launch: remoteLaunch(`${url}/mcp`),
});

test.each([1, 8])(
  '%i calls rejected because the session expired are retried in a new session',
  async (many) => {
    const remote = await startRemote('remote.mjs');
    const { calls, server } = manage([remoteSpec(remote.url)]);
    await server('remote').connection({ timeoutMs: 20_000 });
    const echo = (message: string) =>
      calls.callTool({ ...callOf('remote'), tool: 'echo', args: { message } });
    await echo('before');
    await fetch(`${remote.url}/forget`, { method: 'POST' });
    const messages = Array.from({ length: many }, (_, at) => `after ${at}`);
    const results = await Promise.all(messages.map(echo));
    expect(results.map(({ content }) => content?.[0]?.text)).toEqual(messages);
    expect(server('remote').status().restarts).toBe(1);
  },
);
