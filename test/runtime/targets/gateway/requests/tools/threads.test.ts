import { request } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { startAgentGateway } from '#test/agents/start-gateway.ts';
import { PLAIN_AGENTS, type PlainAgent } from './plain-agents.ts';
import { startDesk } from './tool-gateway.ts';

// With serving threads, the requests of one conversation arrive in different threads.

const desk = await startDesk(0, true);
const gateway = await startAgentGateway({
  threads: 3,
  tools: { mcp_servers: { desk: { url: desk.url, allowed_tools: ['seal'] } } },
});
afterAll(async () => await gateway.stop());

const agent = PLAIN_AGENTS['messages'] as PlainAgent;

test('a conversation keeps the calls of the tools in any thread', async () => {
  const names = Array.from({ length: 6 }, (_, at) => `threads-${at}`);
  await Promise.all(
    names.map(async (name) => {
      const key = await gateway.createKey(name, { tools: ['desk'] });
      const [path, first] = agent.request(`anthropic:${name}`, false);
      let body = first;
      for (;;) {
        const { body: answer } = await request(`${gateway.url}${path}`, {
          method: 'POST',
          // Each request uses its own connection, which any thread can accept.
          reset: true,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const turn = agent.read(await answer.text(), false);
        if (turn.calls.length === 0) break;
        body = { ...body, messages: [...(body['messages'] as unknown[]), ...turn.next] };
      }
      expect(await gateway.providerBook(name)).toMatchObject({ answers: 5, refused: [], repeated: 0 });
    }),
  );
  expect(desk.calls).toHaveLength(3 * names.length);
});
