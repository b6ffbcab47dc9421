import { shortPattern } from './short-pattern.ts';

const WORDS =
  'key|token|secret|passw(?:or)?d|passphrase|pwd|credential|auth|bearer|cookie|private|signature|dsn';
// oxlint-disable-next-line encoderfile/linear-regexp -- Words without repetition.
const SOUNDS_SECRET = new RegExp(WORDS, 'i');
/** Name endings of values that describe a secret without being one: `TOKEN_URL`, `KEY_FILE`, `max_tokens`. */
const ABOUT_SECRETS = shortPattern(
  /(?:ur[il]|file|path|dir|id|name|type|limit|length|count|size|ttl|mode|method|scheme|enabled|max[\w-]*tokens)$/i,
);

/** Whether a value with this name (a variable, a header, a flag) can be a secret. */
export const soundsSecret = (name: string): boolean => SOUNDS_SECRET.test(name);

/** Whether a value with this name is most likely a secret. */
export const isSecretName = (name: string): boolean => soundsSecret(name) && !ABOUT_SECRETS.test(name);

/** Source of a regular expression that matches the end of a name that indicates a secret. */
export const SECRET_NAME_END = `(?:${WORDS})[\\w-]{0,40}`;
