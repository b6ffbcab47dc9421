const WORDS =
  'key|token|secret|passw(?:or)?d|passphrase|pwd|credential|auth|bearer|cookie|private|signature|dsn';
const SOUNDS_SECRET = new RegExp(WORDS, 'i');
/** What such a name ends with if its value is about a secret and none itself: `TOKEN_URL`, `KEY_FILE`, `max_tokens`. */
const ABOUT_SECRETS =
  /(?:ur[il]|file|path|dir|id|name|type|limit|length|count|size|ttl|mode|method|scheme|enabled|max[\w-]*tokens)$/i;

/** Whether a value of this name (a variable, a header, a flag) may be a secret. */
export const soundsSecret = (name: string): boolean => SOUNDS_SECRET.test(name);

/** Whether it most likely is one. */
export const isSecretName = (name: string): boolean => soundsSecret(name) && !ABOUT_SECRETS.test(name);

/** Source of an expression for the end of any name that sounds like a secret. */
export const SECRET_NAME_END = `(?:${WORDS})[\\w-]{0,40}`;
