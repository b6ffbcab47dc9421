import { lookup } from '#core/values/lookup.ts';
import { isObject } from '#core/json/is-object.ts';
import type { HttpExchange } from '../http/exchange.ts';
import { META_KEY } from './rpc-message.ts';
import { FIRST_STATELESS_VERSION, PROTOCOL_VERSION_HEADER } from './protocol-version.ts';
import { RPC_CODE } from './rpc-error.ts';

/**
 * The error codes that revision 2026-07-28 has added:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic
 */
export const HEADER_MISMATCH = -32_020;
export const MISSING_CLIENT_CAPABILITY = -32_021;
const UNSUPPORTED_VERSION = -32_022;

/** Supported versions without sessions. */
export const STATELESS_VERSIONS: readonly string[] = [FIRST_STATELESS_VERSION];

/** A self-contained request from a client without a session. */
export interface StatelessRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Capabilities that the client declared. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The progress token. Set if the client wants to receive progress notifications. */
  readonly progressToken: string | number | undefined;
}

/** Why a request is rejected before its method is called. */
export interface StatelessRefusal {
  readonly id: string | number | null;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

type HeaderReader = HttpExchange['headers'];

export type StatelessMessage =
  | { readonly request: StatelessRequest }
  | { readonly notification: string }
  | { readonly refusal: StatelessRefusal };

/** Validates a message independently of its method. */
export function checkStateless(message: unknown, headers: HeaderReader): StatelessMessage {
  if (!isObject(message) || message['jsonrpc'] !== '2.0' || typeof message['method'] !== 'string') {
    const problem = 'The body must be one JSON-RPC 2.0 request or notification.';
    return { refusal: { id: null, code: RPC_CODE.invalidRequest, message: problem } };
  }
  const { id, method } = message;
  if (id === undefined) return { notification: method };
  if (typeof id !== 'string' && typeof id !== 'number') {
    const problem = 'The `id` of a request must be a string or a number.';
    return { refusal: { id: null, code: RPC_CODE.invalidRequest, message: problem } };
  }
  const params = isObject(message['params']) ? message['params'] : {};
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const problem = metaProblem(meta, headers) ?? headerProblem(method, params, headers);
  if (problem) return { refusal: { id, ...problem } };
  const token = meta['progressToken'];
  const progressToken = typeof token === 'string' || typeof token === 'number' ? token : undefined;
  const declared = meta[META_KEY.capabilities];
  const capabilities = isObject(declared) ? declared : {};
  return { request: { id, method, params, capabilities, progressToken } };
}

type Problem = Omit<StatelessRefusal, 'id'> | undefined;

function metaProblem(meta: Readonly<Record<string, unknown>>, headers: HeaderReader): Problem {
  const version = meta[META_KEY.version];
  if (typeof version !== 'string') {
    return {
      code: RPC_CODE.invalidParams,
      message: `\`params._meta\` requires ${META_KEY.version}, a string.`,
    };
  }
  const named = headers.get(PROTOCOL_VERSION_HEADER);
  if (named !== version) {
    const message = `Header mismatch: ${PROTOCOL_VERSION_HEADER} is ${named}, but the body has ${version}.`;
    return { code: HEADER_MISMATCH, message };
  }
  if (!STATELESS_VERSIONS.includes(version)) {
    const message = `Unsupported protocol version: ${version}. Supported: ${STATELESS_VERSIONS.join(', ')}.`;
    const data = { supported: STATELESS_VERSIONS, requested: version };
    return { code: UNSUPPORTED_VERSION, message, data };
  }
  if (isObject(meta[META_KEY.capabilities])) return undefined;
  return {
    code: RPC_CODE.invalidParams,
    message: `\`params._meta\` requires ${META_KEY.capabilities}, an object.`,
  };
}

function headerProblem(
  method: string,
  params: Readonly<Record<string, unknown>>,
  headers: HeaderReader,
): Problem {
  const namedMethod = headers.get('Mcp-Method');
  if (namedMethod !== method) return mismatch('Mcp-Method', namedMethod, method);
  const parameter = NAMED_BY[method];
  const value = parameter === undefined ? undefined : params[parameter];
  if (typeof value !== 'string') return undefined;
  const name = headers.get('Mcp-Name');
  return name !== null && decodeHeader(name) === value ? undefined : mismatch('Mcp-Name', name, value);
}

function mismatch(header: string, found: string | null, expected: string): Problem {
  const what = found === null ? 'is missing' : `is ${JSON.stringify(found)}`;
  return {
    code: HEADER_MISMATCH,
    message: `Header mismatch: ${header} ${what}, but the body has ${JSON.stringify(expected)}.`,
  };
}

/** The parameter that identifies a method's target. The header `Mcp-Name` must have the same value. */
export const NAMED_BY = lookup<string>({
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
});

/**
 * Encodes a value for a header. The value is unchanged if possible, otherwise it is encoded as
 * Base64 with the markers that the specification defines.
 * @see
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

function decodeHeader(value: string): string {
  const [, base64] = /^=\?base64\?([A-Za-z\d+/]*={0,2})\?=$/.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString();
}
