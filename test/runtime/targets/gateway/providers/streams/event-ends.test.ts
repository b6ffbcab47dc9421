import { expect, test } from 'vitest';
import { startFixture } from '../../fixture-provider.ts';
import { callOf, chatBody, providerOf, readStream } from '../../test-provider.ts';

const fixtures = { openai: await startFixture('openai'), anthropic: await startFixture('anthropic') };

test.each([
  ['chat', 'openai', undefined],
  ['chat', 'openai', 'my-alias'],
  ['messages', 'anthropic', undefined],
  ['messages', 'anthropic', 'my-alias'],
] as const)(
  '%s, %s as %s: an event without a final blank line is not merged with the next one',
  async (wire, type, showModel) => {
    const body = chatBody('no-empty-line', { stream: true, max_tokens: 20 });
    const answer = await providerOf(type, fixtures[type]).chat(callOf(wire, body, { showModel }));
    const { text, summary } = await readStream(answer);
    expect(summary.outcome).toBe('complete');
    const events = text.split('\n\n').filter((event) => event !== '');
    for (const event of events) expect(event.match(/^data: /gm)).toHaveLength(1);
    expect(text.endsWith('\n\n')).toBe(true);
  },
);
