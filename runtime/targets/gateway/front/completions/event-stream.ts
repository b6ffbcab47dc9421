import { KEEP_ALIVE_TEXT } from '../../ask/streams/event-text.ts';

/** Of answers that come in events. */
export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** Longer silences make some proxies give up on a connection. */
export const KEEP_ALIVE = { text: KEEP_ALIVE_TEXT, milliseconds: 15_000 };
