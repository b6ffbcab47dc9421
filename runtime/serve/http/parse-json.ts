import { isUtf8 } from 'node:buffer';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import { explainJson } from '../../core/explain-json.ts';
import { parseJsonText } from '../../core/json-text.ts';
import { isNestedDeeper } from './json-depth.ts';

export interface ParseOptions {
  /** Lists and objects inside each other, 64 unless said otherwise: requests to models have three or four. */
  readonly mostNested?: number | undefined;
  /** `JSON.parse` unless said otherwise. */
  readonly parse?: ((text: string) => unknown) | undefined;
}

/** Parses the bytes of a JSON text. Throws a MalformedError that says where the text stops being JSON. */
export function parseJson(
  bytes: Uint8Array,
  { mostNested = 64, parse = parseJsonText }: ParseOptions = {},
): unknown {
  // Millions would take the parser seconds, and nothing else is answered meanwhile.
  if (isNestedDeeper(bytes, mostNested)) {
    throw located(
      'InputError',
      `The body exceeds the maximum nesting depth of ${mostNested} lists and objects.`,
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

/** Without the byte order mark that some programs begin a text with. */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  const text = Buffer.from(buffer, byteOffset, length).toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

const located = (code: ErrorCode, message: string): AppError =>
  new AppError(code, message, { details: [{ location: 'body', message }] });
