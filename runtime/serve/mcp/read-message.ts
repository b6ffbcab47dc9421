import { AppError } from '#contract/errors.ts';
import { runFairly } from '#platform/run-yielding.ts';
import { parseJson } from '../http/body.ts';
import { HTTP_ERRORS } from './http-errors.ts';
import type { HttpAnswer, HttpExchange } from '../http/exchange.ts';
import { type ClientMessage, readClientMessages } from './rpc-message.ts';

export const DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Maximum nesting depth. It is high, because tool arguments can contain whole documents. */
const MAX_DEPTH = 500;

export interface ReadMessageOptions {
  /** JSON parser. Default: JSON.parse. */
  readonly parse?: ((text: string) => unknown) | undefined;
  readonly maxBytes?: number | undefined;
}

export type Refusal = { readonly refusal: HttpAnswer };

/** Reads the JSON of a POST; returns an error response if the body is unreadable. */
export async function readJsonBody(
  exchange: HttpExchange,
  { parse, maxBytes = DEFAULT_MAX_BODY_BYTES }: ReadMessageOptions,
): Promise<{ readonly value: unknown } | Refusal> {
  if (!isJson(exchange)) return { refusal: HTTP_ERRORS.notJsonType() };
  try {
    const body = await exchange.readBody({ maxBodyBytes: maxBytes, tooLargeMessage });
    const steps = parseJson(body, { maxDepth: MAX_DEPTH, parse }, { hold: exchange.hold() });
    return { value: await runFairly(steps, body.length) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message } = error;
    if (code === 'TooLargeError') return { refusal: HTTP_ERRORS.tooLarge(message) };
    if (code === 'OverloadedError') return { refusal: HTTP_ERRORS.overloaded(message) };
    if (code === 'InputError') return { refusal: HTTP_ERRORS.invalid(message) };
    if (code === 'MalformedError') return { refusal: HTTP_ERRORS.notJson() };
    throw error;
  }
}

/** The messages in a POST from a client whose protocol version has sessions. */
export interface PostedMessages {
  readonly messages: readonly ClientMessage[];
  /** Whether the messages were sent as a list. */
  readonly isList: boolean;
}

const tooLargeMessage = (limit: number): string => `Body too large: the maximum is ${limit} bytes.`;

const BOTH_TYPES = ['application/json', 'text/event-stream'];

export async function readPosted(
  exchange: HttpExchange,
  options: ReadMessageOptions,
): Promise<PostedMessages | Refusal> {
  if (!accepts(exchange, BOTH_TYPES)) return { refusal: HTTP_ERRORS.notAcceptable(BOTH_TYPES) };
  const body = await readJsonBody(exchange, options);
  if ('refusal' in body) return body;
  const messages = readClientMessages(body.value);
  if (messages) return { messages, isList: Array.isArray(body.value) };
  return { refusal: HTTP_ERRORS.invalid('Invalid request: the body is not a JSON-RPC 2.0 message.') };
}

/**
 * Whether the Accept header lists every type by name, as clients must do according to the
 * specification, or accepts any type.
 */
export function accepts({ headers }: HttpExchange, types: readonly string[]): boolean {
  const accept = headers.get('accept') ?? '';
  return accept.includes('*/*') || types.every((type) => accept.includes(type));
}

const isJson = ({ headers }: HttpExchange): boolean =>
  /^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? '');
