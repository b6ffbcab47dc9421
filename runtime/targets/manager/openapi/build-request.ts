import { isHeaderValue } from '#core/text/header-rules.ts';
import { suggest } from '#core/text/suggest.ts';
import { pushAll } from '#core/values/push-all.ts';
import { type EncodedBody, fromBase64, multipartForm, urlEncodedForm } from './form-body.ts';
import type { ApiBody, ApiOperation, ApiParameter, SecurityScheme } from './plan.ts';
import { type ApiCredentials, usedSchemes } from './security.ts';
import {
  encodeText,
  headerText,
  InvalidArguments,
  type Pair,
  plainText,
  queryPairs,
  segmentText,
} from './serialize-value.ts';

/** A request to the API, without the headers that the configuration adds. */
export interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** Creates the request of a call. Throws InvalidArguments if the arguments do not allow it. */
export function buildRequest(
  operation: ApiOperation,
  args: Readonly<Record<string, unknown>>,
  credentials: ApiCredentials,
): ApiRequest {
  const { method, parameters, body, accept } = operation;
  checkNames(operation, args);
  const credentialsOf = authorization(operation, credentials);
  const pairsOf = (parameter: ApiParameter, value: unknown): readonly Pair[] => {
    const pairs = queryPairs(parameter.name, value, parameter);
    checkMembers(parameter, pairs, operation, credentialsOf);
    return pairs;
  };
  const query: Pair[] = [];
  const cookies: string[] = [];
  const headers: Record<string, string> = { accept };
  const segments = new Map<string, string>();
  for (const parameter of parameters) {
    const value = parameter.fixed ?? own(args, parameter.argument);
    if (value === undefined || value === null) continue;
    const written =
      parameter.content === 'json' && parameter.fixed === undefined ? JSON.stringify(value) : value;
    if (parameter.in === 'path') segments.set(parameter.name, pathSegment(parameter, written));
    else if (parameter.in === 'query') pushAll(query, pairsOf(parameter, written));
    else if (parameter.in === 'header')
      headers[parameter.name.toLowerCase()] = headerValue(parameter, headerText(written, parameter.explode));
    else
      pushAll(
        cookies,
        pairsOf(parameter, written).map(([name, text]) => `${name}=${text}`),
      );
  }
  const content = body && encodeBody(body, own(args, body.argument));
  if (content) headers['content-type'] = content.contentType;
  for (const [name, value] of credentialsOf) {
    const { kind, name: place } = name;
    if (kind === 'query') query.push([encodeText(place), encodeText(value)]);
    else if (kind === 'cookie') cookies.push(`${place}=${encodeText(value)}`);
    else headers[place.toLowerCase()] = value;
  }
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ');
  return { method, url: requestUrl(operation, segments, query), headers, body: content?.content };
}

const own = (values: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

function checkNames({ parameters, body }: ApiOperation, args: Readonly<Record<string, unknown>>): void {
  const known = [...parameters.filter(({ fixed }) => fixed === undefined), ...(body ? [body] : [])];
  const names = known.map(({ argument }) => argument);
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const suggestion = suggest(unknown, names);
    const wayOut =
      suggestion === undefined
        ? `The arguments are: ${names.join(', ') || 'none'}.`
        : `Did you mean ${JSON.stringify(suggestion)}?`;
    throw new InvalidArguments(`Unknown argument ${JSON.stringify(unknown)}. ${wayOut}`);
  }
  const missing = known
    .filter(({ argument, required }) => required && (args[argument] === undefined || args[argument] === null))
    .map(({ argument }) => argument);
  if (missing.length > 0)
    throw new InvalidArguments(
      `Missing required ${missing.length === 1 ? 'argument' : 'arguments'}: ${missing.join(', ')}.`,
    );
}

/** The members of an object become parameters of their own, which must not be parameters that callers do not set. */
function checkMembers(
  { name, in: place, argument }: ApiParameter,
  pairs: readonly Pair[],
  { parameters }: ApiOperation,
  credentials: readonly (readonly [SecurityScheme, string])[],
): void {
  const own = encodeText(name);
  if (pairs.every(([written]) => written === own)) return;
  const taken = [
    ...parameters.filter((one) => one.in === place && one.fixed !== undefined).map((one) => one.name),
    ...credentials.filter(([{ kind }]) => kind === place).map(([scheme]) => scheme.name),
  ];
  const found = taken.find((one) =>
    pairs.some(([written]) => written !== own && written === encodeText(one)),
  );
  if (found !== undefined)
    throw new InvalidArguments(
      `The argument ${JSON.stringify(argument)} must not have the member ${JSON.stringify(found)}.`,
    );
}

/** Maximum number of times that servers on the way decode a path. */
const MAX_DECODED = 3;

/**
 * Returns a path parameter. A value cannot lead to another operation: `..` and, unless the parameter can contain them,
 * slashes are rejected in every encoding, because servers and proxies decode paths differently.
 */
function pathSegment(parameter: ApiParameter, value: unknown): string {
  const { argument, name, allowsSlash } = parameter;
  const label = JSON.stringify(argument || name);
  const text = segmentText(name, value, parameter);
  if (text === '') throw new InvalidArguments(`The argument ${label} must not be empty.`);
  let decoded = text;
  for (let times = 0; times <= MAX_DECODED; times += 1) {
    if (/\p{Cc}/u.test(decoded))
      throw new InvalidArguments(`The argument ${label} contains control characters.`);
    if (!allowsSlash && /[/\\]/.test(decoded)) {
      throw new InvalidArguments(`The argument ${label} must not contain slashes.`);
    }
    if (decoded.split(/[/\\]/).some((part) => /^\.{1,2}(?:;.*)?$/.test(part))) {
      throw new InvalidArguments(`The argument ${label} must not contain the path segments "." and "..".`);
    }
    const next = decodedOnce(decoded);
    if (next === decoded) break;
    decoded = next;
  }
  return text;
}

const decodedOnce = (text: string): string =>
  text.replaceAll(/(?:%[\da-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes;
    }
  });

function headerValue({ argument, name }: ApiParameter, value: string): string {
  if (isHeaderValue(value)) return value;
  throw new InvalidArguments(
    `The argument ${JSON.stringify(argument || name)} contains characters that are not allowed in headers.`,
  );
}

function requestUrl(
  { server, path }: ApiOperation,
  segments: ReadonlyMap<string, string>,
  query: readonly Pair[],
): URL {
  // Some documents have a query in a path, or a fragment that makes it unique.
  const [beforeFragment = ''] = path.split('#', 1);
  const [template = '', fixed = ''] = beforeFragment.split('?', 2);
  const filled = template
    .split(/(\{[^{}]*\})/)
    .map((piece) => (piece.startsWith('{') ? (segments.get(piece.slice(1, -1)) ?? '') : piece))
    .join('');
  const search = [...(fixed === '' ? [] : [fixed]), ...query.map(([name, value]) => `${name}=${value}`)].join(
    '&',
  );
  const base = new URL(server);
  const url = URL.parse(`${server}${filled}${search === '' ? '' : `?${search}`}`);
  const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
  if (!url || url.origin !== base.origin || !url.pathname.startsWith(folder)) {
    throw new InvalidArguments('The arguments lead to a URL outside the API.');
  }
  return url;
}

function encodeBody(body: ApiBody, value: unknown): EncodedBody | undefined {
  if (value === undefined) return undefined;
  const { kind, mediaType, argument } = body;
  if (kind === 'json') return { content: JSON.stringify(value), contentType: mediaType };
  if (value === null) return undefined;
  if (kind === 'form') return urlEncodedForm(value, body);
  if (kind === 'multipart') return multipartForm(value, body);
  if (kind === 'binary') return { content: fromBase64(value, argument), contentType: mediaType };
  return { content: plainText(value), contentType: mediaType };
}

/** Returns the schemes whose values are configured, of the first combination for which there are all credentials. */
const authorization = (
  operation: ApiOperation,
  credentials: ApiCredentials,
): (readonly [SecurityScheme, string])[] =>
  usedSchemes(operation, credentials).flatMap(({ scheme, value }) =>
    value === undefined ? [] : [[scheme, credentialText(scheme, value)] as const],
  );

function credentialText({ kind }: SecurityScheme, value: string): string {
  if (kind === 'basic') return `Basic ${Buffer.from(value).toString('base64')}`;
  return kind === 'bearer' || kind === 'oauth' ? `Bearer ${value}` : value;
}
