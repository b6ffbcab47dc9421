import { KEEP_ALIVE_TEXT } from '../../providers/streams/stream.ts';

/** Content type of streamed answers. */
export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** Some proxies close connections after a longer silence. */
export const KEEP_ALIVE = { text: KEEP_ALIVE_TEXT, milliseconds: 15_000 };
