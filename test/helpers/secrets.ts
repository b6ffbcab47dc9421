import type { Secret } from '#core/text/redactions.ts';

/** Values with secret-like names that belong to no server. */
export const namedSecrets = (...values: readonly string[]): Secret[] =>
  values.map((value) => ({ value, isNamed: true }));
