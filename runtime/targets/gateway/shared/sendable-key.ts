import { trimEndOf } from '#core/text/trim-text.ts';

/** One line of printable ASCII. Spaces at its ends would be lost in transit, which changes the key. */
const SENDABLE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** Whether a header can carry a key unchanged. */
export const isSendableKey = (key: string): boolean => SENDABLE.test(key);

/** Predicate of a sentence whose subject is the key's source. */
export const SENDABLE_KEY_RULE =
  'contains characters that are not allowed in headers; use one line of printable ASCII without leading or trailing spaces';

/** Removes the trailing line break from the content of a secret file or from a variable set from one. */
export const trimLineEnd = (text: string): string => trimEndOf(text, '\r\n');
