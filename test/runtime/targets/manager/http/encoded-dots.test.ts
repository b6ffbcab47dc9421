import { get } from 'node:http';
import { expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({ servers: [serverSpec('echo', 'echo')] }));

test('encoded dots in a path are part of a name', async () => {
  const origin = await api().listen();
  const send = async (path: string): Promise<[number | undefined, string]> =>
    await new Promise((resolve, reject) => {
      get(`${origin}/`, { path }, (response) => {
        let text = '';
        response.on('data', (part) => (text += part)).on('end', () => resolve([response.statusCode, text]));
      }).on('error', reject);
    });
  expect(await send('/api/v1/servers')).toEqual([200, expect.stringContaining('echo')]);
  for (const name of ['%2e%2e', '.%2E', '%2e'])
    expect(await send(`/api/v1/servers/${name}/tools?x=%2e%2e`)).toEqual([
      404,
      expect.stringContaining('server not found: '),
    ]);
});
