import { randomUUID } from 'node:crypto';

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Ids that are short and safe to log and to return. */
const SAFE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the caller's request id if it is safe, otherwise a new one. */
export const requestIdFrom = (given: unknown): string =>
  typeof given === 'string' && SAFE_ID.test(given) ? given : randomUUID();
