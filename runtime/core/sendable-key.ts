/** One line of printable ASCII. Blanks at its ends would be lost on the way, and what comes out would be another key. */
const SENDABLE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** Whether a header can carry a key as it is. */
export const isSendableKey = (key: string): boolean => SENDABLE.test(key);

/** The end of a sentence that begins with where the key comes from. */
export const SENDABLE_KEY_RULE =
  'contains characters that headers cannot carry; use one line of printable ASCII without spaces at either end';

/** Files of secrets end with a line end, and variables that were filled from them too. */
export const withoutLineEnd = (text: string): string => text.replace(/[\r\n]+$/, '');
