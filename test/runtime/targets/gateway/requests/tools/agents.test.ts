import { describe, expect, test } from 'vitest';
import { PLAIN_AGENTS, type PlainAgent } from './plain-agents.ts';
import { startToolGateway } from './tool-gateway.ts';

// Agents that know nothing of the tools that their key has by default. The model calls such a tool alone, together with the agent's tools, and
// alone before it ends. `npm run test:agents:tools` runs real agents.

const { model, desk, gateway, someone } = await startToolGateway({
  hasSeal: true,
  server: { allowedTools: ['seal'] },
});

const DONE = 'Done: the notes are edited and stamped.';
const KNOWN = new Set(['text', 'thinking', 'tool_use', 'reasoning', 'message', 'function_call']);

let models = 0;
const nextModel = (): string => `model-${(models += 1)}`;

interface Conversation {
  readonly called: readonly (readonly string[])[];
  readonly kinds: readonly string[];
  readonly text: string;
}

/** Runs a task to its end. */
async function converse(
  agent: PlainAgent,
  name: string,
  secret: string,
  isStream: boolean,
): Promise<Conversation> {
  const [path, first] = agent.request(name, isStream);
  const called: (readonly string[])[] = [];
  const kinds = new Set<string>();
  let body = first;
  for (;;) {
    const answer = await gateway.post(path, body, secret);
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    const turn = agent.read(text, isStream);
    for (const kind of turn.kinds) kinds.add(kind);
    if (turn.calls.length === 0) return { called, kinds: [...kinds], text: turn.text };
    called.push(turn.calls);
    body = { ...body, [agent.list]: [...(body[agent.list] as unknown[]), ...turn.next] };
  }
}

describe.each(['openai', 'anthropic', 'gemini'])('a model of %s', (provider) => {
  describe.each(Object.keys(PLAIN_AGENTS))('in the API %s', (wire) => {
    test.each([false, true])(
      'calls the tools of both sides once each, and every round is booked (stream: %s)',
      async (isStream) => {
        const id = nextModel();
        const { userId, secret } = await someone({ tools: ['desk'] });
        const before = desk.calls.length;
        const agent = PLAIN_AGENTS[wire] as PlainAgent;
        const { called, kinds, text } = await converse(agent, `${provider}:${id}`, secret, isStream);
        const book = await model.book(id);
        expect(book).toMatchObject({ refused: [], repeated: 0 });
        expect(called).toEqual([['read', 'read'], ['edit']]);
        expect(text).toContain(DONE);
        expect(kinds.filter((kind) => !KNOWN.has(kind))).toEqual([]);
        expect(desk.calls.slice(before)).toEqual(['seal', 'seal', 'seal']);
        const rows = await gateway.usage(userId);
        const sum = (name: 'prompt_tokens' | 'completion_tokens'): number =>
          rows.reduce((total, row) => total + (row[name] ?? 0), 0);
        expect([rows.length, sum('prompt_tokens'), sum('completion_tokens')]).toEqual([
          book.answers,
          book.prompt,
          book.completion,
        ]);
        expect(await gateway.admin('GET', `/v1/users/${userId}`)).toMatchObject({ reserved: 0 });
      },
    );
  });
});
