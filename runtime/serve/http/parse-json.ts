import { isUtf8 } from 'node:buffer';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { explainJson } from '#core/json/explain-json.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { ByteHold } from '#core/limits/byte-budget.ts';
import { measureJson } from '#core/json/json-size.ts';
import type { Steps } from '#core/limits/steps.ts';

export interface ParseOptions {
  /** Maximum nesting depth. Default: 64; requests to models have three or four levels. */
  readonly maxDepth?: number | undefined;
  /** Maximum number of values, counted with those in lists and objects. Default: a million. */
  readonly maxValues?: number | undefined;
  /** JSON parser. Default: `JSON.parse`. */
  readonly parse?: ((text: string) => unknown) | undefined;
}

const MAX_DEPTH = 64;
const MAX_VALUES = 1_000_000;

/**
 * Parses the bytes of a JSON text. Throws a MalformedError with the position of the first error. `hold` is charged with the memory
 * of lists and objects, which can need 30 times the bytes of their text. A step is one pass, or a part of one.
 */
export function* parseJson(
  bytes: Uint8Array,
  { maxDepth = MAX_DEPTH, maxValues = MAX_VALUES, parse = parseJsonText }: ParseOptions = {},
  hold?: ByteHold,
): Steps<unknown> {
  // Parsing millions of levels or values would take seconds and block the event loop.
  const size = yield* measureJson(bytes, { maxDepth, maxValues });
  if ('heapBytes' in size) hold?.take(size.heapBytes);
  else if (size.exceeds === 'maxDepth') {
    throw located(
      'InputError',
      `The body exceeds the maximum nesting depth of ${maxDepth} lists and objects.`,
    );
  } else {
    throw located('TooLargeError', `The body has more than ${maxValues} values. Send a smaller request.`);
  }
  if (!isUtf8(bytes)) throw located('MalformedError', 'The body is not valid UTF-8.');
  yield;
  const text = textOf(bytes);
  yield;
  try {
    return parse(text);
  } catch (error) {
    throw located('MalformedError', `The body is not valid JSON: ${explainJson(text, error)}`);
  }
}

/** Decodes the text without a byte order mark. */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  const text = Buffer.from(buffer, byteOffset, length).toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

const located = (code: ErrorCode, message: string): AppError =>
  new AppError(code, message, { details: [{ location: 'body', message }] });
