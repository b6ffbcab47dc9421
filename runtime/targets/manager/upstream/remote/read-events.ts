import { type EventData, readEvent } from '../../../../serve/event-stream/event-data.ts';
import { createFrameSplitter } from '../../../../serve/event-stream/event-frames.ts';
import { ConnectionClosed } from '../connection.ts';
import { MAX_MESSAGE_BYTES } from '../transport.ts';

/** An event exceeded the maximum size. The rest of its stream cannot be read. */
export class EventTooLong extends ConnectionClosed {
  constructor() {
    super(`The server sent a message larger than the maximum of ${MAX_MESSAGE_BYTES} bytes.`);
  }
}

/** Yields the complete events of a stream. */
export async function* readEvents(body: AsyncIterable<Buffer>): AsyncGenerator<EventData> {
  const splitter = createFrameSplitter(MAX_MESSAGE_BYTES, () => new EventTooLong());
  for await (const chunk of body) yield* splitter.push(chunk).map(readEvent);
}

/** Whether an event contains messages of the protocol; an event without data only has an ID. */
export const isMessage = (event: EventData): event is EventData & { readonly data: string } =>
  (event.event ?? 'message') === 'message' && event.data !== undefined && event.data !== '';
