import type { Secret } from '#core/text/redactions.ts';

/** Values whose names say that they are secrets, of no server. */
export const namedSecrets = (...values: readonly string[]): Secret[] =>
  values.map((value) => ({ value, isNamed: true }));
