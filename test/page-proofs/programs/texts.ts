/** Texts from users, models and servers that the pages show. */
export interface Texts {
  /** A name or a description. */
  readonly name: (word: string) => string;
  /** The name of a file. */
  readonly file: (name: string) => string;
  readonly prompt: string;
  /** Response of every model, result of every tool, and line of every log. */
  readonly answer: string;
}

export const PLAIN: Texts = {
  name: (word) => word,
  file: (name) => name,
  prompt: 'Say hello.',
  answer: 'Hello. How can I help?',
};

/** Text that would run if a page showed it as HTML or as a template. */
const SCRIPTS =
  '<img src=x onerror=alert(1)><script>alert(2)</script></textarea><svg onload=alert(3)>${alert(4)}{{alert(5)}}';
/** Switches to right-to-left text, with an isolate that is never closed. */
const BIDI = 'abc\u202Egnp.exe\u2067\u202E';
/** A name that must be visible on the pages that list it. */
export const HOSTILE_NAME = `${SCRIPTS} ${BIDI}`;
const LONG_WORD = 'w'.repeat(100_000);

export const HOSTILE: Texts = {
  name: (word) => `${word} ${HOSTILE_NAME}`,
  file: (name) => `${SCRIPTS.replaceAll('/', '')} ${BIDI} ${name}`,
  prompt: `${HOSTILE_NAME} \u0000 ${LONG_WORD}`,
  answer: `${HOSTILE_NAME} \u0000 ${LONG_WORD}`,
};
