import { expect, test } from 'vitest';
import { Session } from '#manager/supervisor/session.ts';
import type { Connection } from '#manager/upstream/connection.ts';
import { systemClock } from '#platform/clock.ts';

const OPTIONS = { timeoutMs: 1000 };

/** A connection whose requests call `request`. */
const connectionWith = (request: Connection['request']): Connection => ({
  peer: { capabilities: {}, serverInfo: undefined } as unknown as Connection['peer'],
  pid: undefined,
  closed: new Promise(() => undefined),
  request,
  notify: () => undefined,
  check: () => Promise.resolve(0),
  close: () => Promise.resolve(),
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no longer writable');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no longer writable'))],
] satisfies readonly (readonly [string, Connection['request']])[])(
  'a request that the connection %s is no longer in flight, so the session can retire',
  async (_how, request) => {
    const session = new Session(connectionWith(request), systemClock);
    await expect(session.request('tools/call', {}, OPTIONS)).rejects.toThrow('no longer writable');
    expect(session.running).toBe(0);
    await session.retire();
  },
);
