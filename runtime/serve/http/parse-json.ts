import { AppError, inputError } from '../../contract/errors.ts';
import { explainJson } from '../../core/explain-json.ts';
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
  { mostNested = 64, parse = JSON.parse }: ParseOptions = {},
): unknown {
  // Millions would take the parser seconds, and nothing else is answered meanwhile.
  if (isNestedDeeper(bytes, mostNested)) {
    throw inputError(
      `The body is nested deeper than ${mostNested} lists and objects, the most this server takes.`,
    );
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('The body is not valid UTF-8, which JSON has to be.');
  }
  try {
    return parse(text);
  } catch (error) {
    throw malformed(`The body is not valid JSON: ${explainJson(text, error)}`);
  }
}

const malformed = (message: string): AppError =>
  new AppError('MalformedError', message, { details: [{ location: 'body', message }] });
