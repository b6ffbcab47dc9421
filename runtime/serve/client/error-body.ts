import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';

/** The error that the body of a response describes. */
export interface ErrorBody {
  readonly message: string;
  /** The stable name of the error. */
  readonly code: string | undefined;
  /** Messages about parts of the request. */
  readonly details: readonly string[];
}

/**
 * Reads the errors of all servers of this project: `error.message` with `error.code` as in OpenAI's API, and `detail` with
 * `errors` as in RFC 9457. Returns undefined for other texts.
 */
export function readErrorBody(text: string): ErrorBody | undefined {
  let body: unknown;
  try {
    body = parseJsonText(text);
  } catch {
    return undefined;
  }
  if (!isObject(body)) return undefined;
  const { error, detail, errors } = body;
  const details = messagesIn(errors);
  if (isObject(error) && typeof error['message'] === 'string') {
    const code = typeof error['code'] === 'string' ? error['code'] : undefined;
    return { message: error['message'], code, details };
  }
  if (typeof detail === 'string') return { message: detail, code: undefined, details };
  return undefined;
}

const messagesIn = (errors: unknown): string[] =>
  Array.isArray(errors)
    ? errors.flatMap((one: unknown) =>
        isObject(one) && typeof one['message'] === 'string' ? [one['message']] : [],
      )
    : [];
