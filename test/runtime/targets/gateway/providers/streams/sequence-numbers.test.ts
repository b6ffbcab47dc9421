import { expect, test } from 'vitest';
import { startScripted } from '../../scripted-provider.ts';
import { callOf, eventsOf, providerOf, readStream } from '../../test-provider.ts';

const scripted = await startScripted();
const asked = callOf('responses', { model: 'm', input: 'Hello', stream: true });

/** Sequence numbers of all events and of the final error. */
async function numbersOf(hasResponses: boolean): Promise<readonly unknown[]> {
  const provider = providerOf('openai', scripted.provider, { dialect: { hasResponses } });
  const { text } = await readStream(await provider.chat(asked));
  const events = eventsOf(text).map(([, data]) => JSON.parse(data) as Record<string, unknown>);
  expect(events.at(-1)).toMatchObject({ type: 'error', code: 'upstream_stream_incomplete' });
  return events.map((event) => event['sequence_number']);
}

test('an error in a translated stream has the next sequence number', async () => {
  scripted.says([{ choices: [{ index: 0, delta: { content: 'Hi' } }] }]);
  expect(await numbersOf(false)).toEqual([0, 1, 2, 3, 4, 5]);
});

test('an error in a passed-through stream has the next sequence number', async () => {
  scripted.says([
    { type: 'response.created', sequence_number: 0, response: {} },
    { type: 'response.output_text.delta', sequence_number: 1, delta: 'Hi' },
  ]);
  expect(await numbersOf(true)).toEqual([0, 1, 2]);
});
