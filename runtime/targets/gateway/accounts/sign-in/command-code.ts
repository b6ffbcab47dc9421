import { createHash } from 'node:crypto';

/**
 * Letters that are not easily confused and cannot form words. @see
 * https://www.rfc-editor.org/rfc/rfc8628#section-6.1
 */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** The code that `gateway login` prints and the gateway's page shows, such as `BCDF-GHJK`. */
export function commandCode({
  state,
  challenge,
}: {
  readonly state: string;
  readonly challenge: string;
}): string {
  const hash = createHash('sha256').update(`${state} ${challenge}`).digest();
  const letters = Array.from(hash.subarray(0, 8), (byte) => LETTERS[byte % LETTERS.length]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
