import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEvent, createFrameSplitter } from '#serve/event-stream/event-frames.ts';
import type { EventEncoder } from '#gateway/providers/streams/stream.ts';
import type { ChunkDelta } from '#gateway/providers/shapes/chat.ts';
import { messagesWire } from '#gateway/providers/wires/messages/wire.ts';
import { responsesWire } from '#gateway/providers/wires/responses/wire.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
}

type Event = Readonly<Record<string, unknown>>;

const word = fc.stringMatching(/^[a-z]{1,8}$/);
/** As in JSON, which does not distinguish -0 and 0. */
const value = fc.jsonValue().map((any) => JSON.parse(JSON.stringify(any)) as unknown);
const calls = fc
  .array(fc.record({ name: word, input: fc.dictionary(word, value, { noNullPrototype: true }) }), {
    minLength: 2,
    maxLength: 4,
  })
  .map((list): Call[] => list.map((call, at) => ({ id: `call_${at}`, ...call })));

/** Deltas of a provider that writes several calls concurrently: the head of each call, then its arguments in small chunks. */
function deltasOf({ id, name, input }: Call, index: number): ChunkDelta[] {
  const pieces = JSON.stringify(input).match(/[^]{1,3}/g) ?? [];
  return [
    { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
    ...pieces.map((piece): ChunkDelta => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

/** The heads in order, as providers send them, then one chunk at a time from the call that `picks` selects. */
function interleave(list: readonly Call[], picks: readonly number[]): ChunkDelta[] {
  const queues = list.map(deltasOf);
  const deltas = queues.map((queue) => queue.shift() ?? {});
  for (let at = 0; queues.some((queue) => queue.length > 0); at += 1) {
    const open = queues.filter((queue) => queue.length > 0);
    const next = open[(picks[at % picks.length] ?? 0) % open.length]?.shift();
    if (next) deltas.push(next);
  }
  return deltas;
}

const picks = fc.array(fc.nat(20), { minLength: 1, maxLength: 50 });

function eventsOf(encoder: EventEncoder, deltas: readonly ChunkDelta[]): Event[] {
  const said = deltas.map((delta) => encoder.encode([{ id: 'x', choices: [{ index: 0, delta }] }])).join('');
  const { last, terminal } = encoder.end();
  const frames = createFrameSplitter().push(Buffer.from(said + last + terminal));
  return frames.map((frame) => JSON.parse(readEvent(frame).data ?? 'null') as Event);
}

const messages = (deltas: readonly ChunkDelta[]): Event[] =>
  eventsOf(messagesWire.encoder({}, { model: 'm', created: 1 }), deltas);
const responses = (deltas: readonly ChunkDelta[]): Event[] =>
  eventsOf(responsesWire.encoder({}, { model: 'm', created: 1 }), deltas);

test("interleaved calls are separated for clients of Anthropic's Messages API", async () => {
  await fc.assert(
    fc.asyncProperty(calls, picks, async (list, order) => {
      const events = messages(interleave(list, order));
      // One block is open at a time.
      const blocks = events.filter(({ type }) => String(type).startsWith('content_block_'));
      const runs = blocks.filter(({ index }, at) => index !== blocks[at - 1]?.['index']);
      expect(runs.map(({ index }) => index)).toEqual(list.map((_call, at) => at));
      const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
      const { content } = await MessageStream.fromReadableStream(new Blob([lines]).stream()).finalMessage();
      expect(content.map((block) => ({ ...block }))).toEqual(
        list.map((call) => expect.objectContaining({ type: 'tool_use', ...call })),
      );
    }),
    { numRuns: 50 },
  );
});

test("interleaved calls are separated for clients of OpenAI's Responses API", () => {
  fc.assert(
    fc.property(calls, picks, (list, order) => {
      const events = responses(interleave(list, order));
      const done = events.filter(({ type }) => type === 'response.function_call_arguments.done');
      expect(done.map((event) => [event['name'], JSON.parse(String(event['arguments']))])).toEqual(
        list.map(({ name, input }) => [name, input]),
      );
      const { output } = (events.at(-1) as { response: { output: Event[] } }).response;
      expect(output.map((item) => item['call_id'])).toEqual(list.map(({ id }) => id));
    }),
  );
});

test('sequential calls are sent immediately', () => {
  const encoder = messagesWire.encoder({}, { model: 'm', created: 1 });
  const list = ['a', 'b'].map((name, at): Call => ({ id: `call_${at}`, name, input: { city: 'Oslo' } }));
  for (const delta of list.flatMap(deltasOf)) {
    const said = encoder.encode([{ id: 'x', choices: [{ index: 0, delta }] }]);
    expect(said).toContain(JSON.stringify(delta.tool_calls?.[0]?.function?.arguments).slice(1, -1));
    expect(said).not.toBe('');
  }
});

test('calls stay separate if a provider uses the same index for all of them', () => {
  const list = ['a', 'b'].map((name, at): Call => ({ id: `call_${at}`, name, input: { at } }));
  const deltas = list.map(({ id, name, input }): ChunkDelta => ({
    tool_calls: [{ index: 0, id, function: { name, arguments: JSON.stringify(input) } }],
  }));
  const starts = messages(deltas).filter(({ type }) => type === 'content_block_start');
  expect(starts.map(({ content_block: block }) => (block as Event)['id'])).toEqual(['call_0', 'call_1']);
});

test('text after an incomplete call is sent after that call', () => {
  const [head, ...pieces] = deltasOf({ id: 'call_0', name: 'a', input: { city: 'Oslo' } }, 0);
  const [first = {}, ...rest] = pieces;
  const events = messages([head ?? {}, first, { content: 'Done.' }, ...rest]);
  const kinds = events
    .filter(({ type }) => type === 'content_block_start')
    .map(({ content_block: block }) => (block as Event)['type']);
  expect(kinds).toEqual(['tool_use', 'text']);
});
