import { randomUUID } from 'node:crypto';

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Short and harmless enough to be logged and sent back as it is. */
const SANE = /^[A-Za-z0-9._-]{1,128}$/;

/** The id of a request: the caller's own where there is a sane one, else a new one. */
export const requestIdFrom = (given: unknown): string =>
  typeof given === 'string' && SANE.test(given) ? given : randomUUID();
