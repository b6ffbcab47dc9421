import { type EventData, readEvent, createFrameSplitter } from '#serve/event-stream/event-frames.ts';
import { ConnectionClosed, createMessageMeter, ResultTooLarge, MAX_MESSAGE_BYTES } from '../connection.ts';

/** An event exceeded the maximum size. The rest of its stream cannot be read. */
export class EventTooLong extends ConnectionClosed {
  constructor() {
    super(`The server sent a message larger than the maximum of ${MAX_MESSAGE_BYTES} bytes.`);
  }
}

/** Yields a stream's complete events. Stops at an event with more than `maxCharacters`. */
export async function* readEvents(
  body: AsyncIterable<Buffer>,
  maxCharacters?: number,
): AsyncGenerator<EventData> {
  const splitter = createFrameSplitter(MAX_MESSAGE_BYTES, () => new EventTooLong());
  const meter = createMessageMeter(maxCharacters);
  for await (const chunk of body) {
    const frames = splitter.push(chunk);
    // The start of the next event can be in the same chunk; it is not counted, but is smaller than a chunk.
    if (frames.length > 0) meter.reset();
    else if (meter.add(chunk)) throw new ResultTooLarge(maxCharacters ?? Infinity);
    yield* frames.map(readEvent);
  }
}

/** Whether an event contains protocol messages; an event without data only has an ID. */
export const isMessage = (event: EventData): event is EventData & { readonly data: string } =>
  (event.event ?? 'message') === 'message' && event.data !== undefined && event.data !== '';
