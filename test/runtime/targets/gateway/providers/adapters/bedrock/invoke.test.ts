import { describe, expect, test } from 'vitest';
import { callOf, eventsOf, failureOf, jsonOf, readStream, REPLY } from '../../../test-provider.ts';
import { USAGE } from '../../../three-providers.ts';
import { startBedrock } from './stand-in.ts';

const { bedrock, fixture, sent } = await startBedrock();

describe("Anthropic models with Anthropic's own API", () => {
  const body = {
    model: 'us.anthropic.good',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hello' }],
    metadata: { user_id: 'ann' },
  };

  test('requests and responses pass through, buffered and streamed', async () => {
    expect(jsonOf(await bedrock.chat(callOf('messages', body)))).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: REPLY }],
    });
    const { path } = await fixture.last();
    expect([path, await sent()]).toEqual([
      '/model/us.anthropic.good/invoke',
      {
        max_tokens: 9,
        messages: body.messages,
        metadata: body.metadata,
        anthropic_version: 'bedrock-2023-05-31',
      },
    ]);
    const { text, summary } = await readStream(
      await bedrock.chat(callOf('messages', { ...body, stream: true })),
    );
    expect(eventsOf(text).map(([name]) => name)).toEqual(
      expect.arrayContaining(['message_start', 'content_block_delta', 'message_delta', 'message_stop']),
    );
    expect([summary.outcome, summary.usage]).toEqual(['complete', USAGE.anthropic]);
    expect((await fixture.last()).path).toBe('/model/us.anthropic.good/invoke-with-response-stream');
  });

  test.each(['messages', 'chat'] as const)(
    'over %s, an error before the first output keeps its kind, and a later error makes the stream incomplete',
    async (wire) => {
      const first = await bedrock.chat(
        callOf(wire, { ...body, model: 'us.anthropic.error-first', stream: true }),
      );
      expect(failureOf(first).kind).toBe('rate_limited');
      const cut = await bedrock.chat(
        callOf(wire, { ...body, model: 'us.anthropic.error-later', stream: true }),
      );
      const { summary } = await readStream(cut);
      expect(summary.outcome).toBe('incomplete');
    },
  );
});

test('Titan embeds each text in a separate request, and Cohere embeds all texts in one request', async () => {
  const ask = async (model: string) =>
    jsonOf(
      await bedrock.embed(callOf('chat', { model, input: ['a', 'bc', 'def', 'ghij', 'k'], dimensions: 3 })),
    );
  const vectors = [1, 2, 3, 4, 1].map((length) => [length, 0.5, -0.25]);
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  const titan = await ask('amazon.titan-embed-text-v2:0');
  expect(titan).toMatchObject({ data, usage: { prompt_tokens: 20 } });
  expect(await sent()).toMatchObject({ dimensions: 3 });
  expect(await ask('cohere.embed-v4:0')).toMatchObject({ data });
  expect(await sent()).toMatchObject({ input_type: 'search_document', output_dimension: 3 });
  const failed = await bedrock.embed(callOf('chat', { model: 'amazon.nova-pro', input: 'a' }));
  expect(failureOf(failed).kind).toBe('unsupported');
});
