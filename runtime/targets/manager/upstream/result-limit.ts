import { isAscii } from 'node:buffer';

/** A result exceeded `--max-result`. */
export class ResultTooLarge extends Error {
  override readonly name = 'ResultTooLarge';

  constructor(maxCharacters: number) {
    const max = (maxCharacters / 1_048_576).toFixed(1);
    super(`the result is larger than the maximum of ${max} MiB (--max-result)`);
  }
}

/** Characters of a message besides its result: the ID and the version. */
const ENVELOPE = 1024;

/**
 * Counts the characters of one message while it arrives, as the server wrote them. A message that is too large is then neither kept
 * nor parsed, which would occupy the thread of all servers for some hundred milliseconds.
 */
export interface MessageMeter {
  /** Counts a part of the message; returns whether the message is too large. */
  add(part: Buffer): boolean;
  /** Starts the next message. */
  reset(): void;
}

export function createMessageMeter(maxCharacters: number = Infinity): MessageMeter {
  let characters = 0;
  return {
    add(part) {
      characters += isAscii(part) ? part.length : part.toString('utf8').length;
      return characters > maxCharacters + ENVELOPE;
    },
    reset() {
      characters = 0;
    },
  };
}
