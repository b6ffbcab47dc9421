import { trimEndOf } from '#core/text/trim-text.ts';

/** One line of printable ASCII. Spaces at its ends would be lost in transit, which changes the key. */
const SENDABLE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** Whether a header can carry a key unchanged. */
export const isSendableKey = (key: string): boolean => SENDABLE.test(key);

/** The predicate of a sentence whose subject is the source of the key. */
export const SENDABLE_KEY_RULE =
  'contains characters that headers cannot carry; use one line of printable ASCII without spaces at either end';

/** Removes the line end of files with secrets, and of variables that were filled from them. */
export const trimLineEnd = (text: string): string => trimEndOf(text, '\r\n');
