import { readEvent } from '#serve/event-stream/event-data.ts';
import { createFrameSplitter } from '#serve/event-stream/event-frames.ts';
import type { PieceSource } from '#serve/http/exchange/piece-source.ts';
import { KEEP_ALIVE } from '../completions/event-stream.ts';
import type { StreamForm } from '../completions/stream-form.ts';

/** A stream as one list in JSON, whose items are the data of the events: Gemini's form for clients that do not ask for events. */
export const AS_ARRAY: StreamForm = {
  contentType: 'application/json; charset=utf-8',
  // Space between the items has no meaning.
  keepAlive: { ...KEEP_ALIVE, text: '\n' },
  write: asArray,
};

function asArray(events: PieceSource): PieceSource {
  const splitter = createFrameSplitter();
  let isFirst = true;
  let hasEnded = false;
  const itemsOf = (frames: readonly Buffer[]): string =>
    frames
      .map((frame) => readEvent(frame).data)
      .filter((data) => data !== undefined)
      .map((data) => {
        const separator = isFirst ? '[' : ',\n';
        isFirst = false;
        return separator + data;
      })
      .join('');
  return {
    async next() {
      if (hasEnded) return { done: true, value: undefined };
      const { done, value } = await events.next();
      hasEnded = done === true;
      const rest = done ? splitter.end() : undefined;
      const items = itemsOf(value ? splitter.push(Buffer.from(value)) : rest ? [rest] : []);
      const end = isFirst ? '[]' : ']';
      return { done: false, value: Buffer.from(items + (hasEnded ? end : '') || '\n') };
    },
    cancel: () => events.cancel(),
    unread: events.unread,
  };
}
