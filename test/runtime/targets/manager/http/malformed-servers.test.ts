import { describe, expect, test } from 'vitest';
import { openManager } from '../mcp/managed.ts';
import { serverSpec } from '../server-spec.ts';
import { readAnswer } from './open-api.ts';

const SERVER = '/api/v1/servers/malformed';

describe('an invalid list', () => {
  const ODD_LISTS = ['null', '7', '"text"', '{}', 'true'];

  test.each(ODD_LISTS)(
    "%s is reported as the server's fault, and other servers are still listed",
    async (list) => {
      const env = { TOOLS: list, PROMPTS: list, RESOURCES: list, TEMPLATES: list };
      const other = await openManager({
        servers: [serverSpec('good', 'echo'), serverSpec('malformed', 'malformed', { env })],
      });
      await Promise.all(['good', 'malformed'].map((name) => other.running(name)));
      for (const path of ['tools', 'prompts', 'resources', 'resources/templates']) {
        const answer = await readAnswer(await fetch(`${other.origin}${SERVER}/${path}`));
        expect([path, answer.status]).toEqual([path, 502]);
        expect(answer.body.errors[0].message).toContain('it must be a list');
      }
      const all = await other.connect();
      expect((await all.listTools()).tools.length).toBeGreaterThan(1);
      expect((await all.listPrompts()).prompts).toHaveLength(3);
      const single = await other.connect('/mcp/malformed');
      await expect(single.listTools()).rejects.toThrow('it must be a list');
      await other.close();
    },
  );
});

test.each([
  'null',
  '"text"',
  '[]',
  '{"tools":null,"prompts":true,"resources":{"subscribe":"yes"},"logging":7}',
])('clients can connect to a server with the capabilities %s', async (capabilities) => {
  const other = await openManager({
    servers: [serverSpec('malformed', 'malformed', { env: { CAPABILITIES: capabilities } })],
  });
  await other.running('malformed');
  const single = await other.connect('/mcp/malformed');
  expect(single.getServerCapabilities()).toEqual(
    capabilities.includes('prompts')
      ? { prompts: { listChanged: true }, resources: { listChanged: true } }
      : {},
  );
  const { status } = await fetch(`${other.origin}${SERVER}/tools`);
  expect(status).toBe(404);
  await other.close();
});
