import { type EventData, readEvent } from '../../../../serve/event-stream/event-data.ts';
import { createFrameSplitter } from '../../../../serve/event-stream/event-frames.ts';
import { ConnectionClosed } from '../connection.ts';
import { MAX_MESSAGE_BYTES } from '../transport.ts';

/** What comes after it is lost as well. */
export class EventTooLong extends ConnectionClosed {
  constructor() {
    super(`The server sent a message of more than ${MAX_MESSAGE_BYTES} bytes.`);
  }
}

/** The events of a stream that are complete. */
export async function* readEvents(body: AsyncIterable<Buffer>): AsyncGenerator<EventData> {
  const splitter = createFrameSplitter(MAX_MESSAGE_BYTES, () => new EventTooLong());
  for await (const chunk of body) yield* splitter.push(chunk).map(readEvent);
}

/** Whether it carries what the protocol has to say; empty ones only have an id. */
export const isMessage = (event: EventData): event is EventData & { readonly data: string } =>
  (event.event ?? 'message') === 'message' && event.data !== undefined && event.data !== '';
