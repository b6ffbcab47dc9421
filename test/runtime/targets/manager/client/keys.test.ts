import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Managed, openManager } from '../mcp/managed.ts';
import { serverSpec } from '../server-spec.ts';
import { runClient } from './run-client.ts';

const KEY = 'the-key';

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({
    servers: [serverSpec('echo', 'echo')],
    keys: [
      {
        id: '01234567',
        name: 'ada',
        hash: createHash('sha256').update(KEY).digest('hex'),
        servers: [],
        tools: [],
        readOnly: false,
        admin: false,
        created: '2026-01-01T00:00:00Z',
      },
    ],
  });
  await managed.running('echo');
});
afterAll(() => managed.close());

test('a manager with keys requires a key, and the error explains how to send one', async () => {
  const { code, err } = await runClient('tools', 'echo', '--url', managed.origin);
  expect(code).toBe(1);
  expect(err).toContain('--api-key or MCP_MANAGER_API_KEY');
});

test('a key grants access only to its own servers', async () => {
  const options = ['--url', managed.origin, '--api-key', KEY];
  expect((await runClient('call', 'echo', 'add', 'a=1', 'b=1', ...options)).out).toBe('2\n');
  const { code, err } = await runClient('status', ...options);
  expect(code).toBe(1);
  expect(err).toContain('has no admin permission');
});
