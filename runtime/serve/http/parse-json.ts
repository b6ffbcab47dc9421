import { isUtf8 } from 'node:buffer';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import { explainJson } from '../../core/json/explain-json.ts';
import { parseJsonText } from '../../core/json/json-text.ts';
import { isNestedDeeper } from './json-depth.ts';

export interface ParseOptions {
  /** Maximum nesting depth. Default: 64; requests to models have three or four levels. */
  readonly maxDepth?: number | undefined;
  /** JSON parser. Default: `JSON.parse`. */
  readonly parse?: ((text: string) => unknown) | undefined;
}

/** Parses the bytes of a JSON text. Throws a MalformedError with the position of the first error. */
export function parseJson(
  bytes: Uint8Array,
  { maxDepth = 64, parse = parseJsonText }: ParseOptions = {},
): unknown {
  // Parsing millions of levels would take seconds and block the event loop.
  if (isNestedDeeper(bytes, maxDepth)) {
    throw located(
      'InputError',
      `The body exceeds the maximum nesting depth of ${maxDepth} lists and objects.`,
    );
  }
  if (!isUtf8(bytes)) throw located('MalformedError', 'The body is not valid UTF-8.');
  const text = textOf(bytes);
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
