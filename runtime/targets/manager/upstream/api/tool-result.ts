import { STATUS_CODES } from 'node:http';
import { isObject } from '#core/json/is-object.ts';
import { isRawNumber, parseLossless } from '#core/json/lossless-json.ts';
import { nextLink } from '#core/net/link-header.ts';
import { fitResult } from '../../openapi/output-schema.ts';
import { nextPageArguments } from '../../openapi/pages.ts';
import type { ApiTool } from '../../openapi/plan.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';
import { isTooDeep } from '../rpc-peer.ts';

/** A complete response of an API. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
  /** The URL that was requested. */
  readonly url: URL;
}

/** Maximum length of the body in an error. Servers return whole pages for some errors. */
const MAX_ERROR_CHARACTERS = 16_384;

/** Converts a response to the result of a tool. Statuses outside 2xx are tool errors. */
export function toolResult(
  server: string,
  { definition, operation }: ApiTool,
  response: ApiResponse,
): ShapeOfParams {
  const { status, headers, body, url } = response;
  const type = mediaType(headers);
  const { outputSchema } = definition;
  if (status < 200 || status > 299) return { content: [text(errorText(response, type))], isError: true };
  const next = nextPage(headers, url, operation);
  const nextNote = next ? [text(`Next page: call the tool again with ${JSON.stringify(next)}.`)] : [];
  if (body.length === 0) {
    const content = [text(`HTTP ${status} ${STATUS_CODES[status] ?? ''}`.trim())];
    return { content, ...(outputSchema ? { structuredContent: {} } : {}) };
  }
  if (!isJson(type)) {
    const content = [...contentOf(server, definition.name, body, headers), ...nextNote];
    return { content, ...(outputSchema ? { structuredContent: {} } : {}) };
  }
  const written = decodeText(body, headers);
  const value = parsed(written);
  const data = Array.isArray(value) ? { items: value } : isObject(value) && !isRawNumber(value) ? value : {};
  const structured = next && !Object.hasOwn(data, 'next_page') ? { ...data, next_page: next } : data;
  return {
    content: [text(written), ...nextNote],
    ...(outputSchema ? { structuredContent: fitResult(structured, outputSchema) } : {}),
    // Two texts could not be parsed by a program, so it gets both as one value.
    ...(!outputSchema && next ? { structuredContent: structured } : {}),
  };
}

const text = (value: string): ShapeOfParams => ({ type: 'text', text: value });

const mediaType = ({ 'content-type': type }: ApiResponse['headers']): string =>
  (typeof type === 'string' ? type : '').split(';', 1).join().trim().toLowerCase();

const isJson = (type: string): boolean => /[/+]json$/.test(type);
const isText = (type: string): boolean =>
  type === '' ||
  /^text\/|[/+](?:json|xml)$|^application\/(?:(?:x-)?yaml|javascript|graphql|x-ndjson|jsonl|x-www-form-urlencoded)$/.test(
    type,
  );

function errorText({ status, headers, body }: ApiResponse, type: string): string {
  const reason = STATUS_CODES[status];
  const head = [`HTTP ${status}${reason === undefined ? '' : ` ${reason}`}`];
  const { location, 'retry-after': retryAfter } = headers;
  if (typeof location === 'string' && status >= 300 && status < 400)
    head.push(`Location: ${location.slice(0, 2000)}`);
  if (typeof retryAfter === 'string') head.push(`Retry-After: ${retryAfter.slice(0, 100)}`);
  if (body.length === 0) return head.join('\n');
  if (!isText(type)) return [...head, `The body has ${body.length} bytes of the type ${type}.`].join('\n');
  const written = decodeText(body.subarray(0, 4 * MAX_ERROR_CHARACTERS), headers);
  const shown =
    written.length > MAX_ERROR_CHARACTERS ? `${written.slice(0, MAX_ERROR_CHARACTERS)}…` : written;
  return [...head, shown].join('\n');
}

/** Returns content for a body that is not JSON. */
function contentOf(
  server: string,
  tool: string,
  body: Uint8Array,
  headers: ApiResponse['headers'],
): readonly ShapeOfParams[] {
  const type = mediaType(headers);
  if (isText(type)) return [text(decodeText(body, headers))];
  const data = Buffer.from(body).toString('base64');
  if (type.startsWith('image/')) return [{ type: 'image', data, mimeType: type }];
  if (type.startsWith('audio/')) return [{ type: 'audio', data, mimeType: type }];
  const uri = `openapi://${encodeURIComponent(server)}/${encodeURIComponent(tool)}`;
  return [{ type: 'resource', resource: { uri, mimeType: type, blob: data } }];
}

function decodeText(body: Uint8Array, { 'content-type': type }: ApiResponse['headers']): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([\w.:-]+)/i.exec(typeof type === 'string' ? type : '') ?? [];
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

function parsed(json: string): unknown {
  try {
    const value = parseLossless(json);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function nextPage(
  { link }: ApiResponse['headers'],
  url: URL,
  operation: ApiTool['operation'],
): Readonly<Record<string, string>> | undefined {
  const header = Array.isArray(link) ? link.join(', ') : link;
  if (header === undefined || header.length > MAX_LINK) return undefined;
  const next = nextLink(header);
  return next === undefined ? undefined : nextPageArguments(next, url, operation);
}

const MAX_LINK = 16_384;
