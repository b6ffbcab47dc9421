import { isSendableKey, SENDABLE_KEY_RULE, trimLineEnd } from '../../shared/sendable-key.ts';
import type { Path, ResolveContext } from './context.ts';

/** Header name according to RFC 9110. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** Characters of one byte, except those that end a header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const HEADER_VALUE_RULE =
  'contains characters that headers cannot carry; use one line of ASCII or Latin-1 characters';

/** Headers of the connection, which the HTTP client sets itself. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads a key from the file, or from `variable`. Reports a key that a header cannot carry; the message never contains the key.
 */
export function sendableKey(
  { report, secrets }: ResolveContext,
  path: Path,
  written: string | undefined,
  variable?: string,
): string | undefined {
  if (written === undefined) return undefined;
  const key = trimLineEnd(written);
  secrets.add(key, ['key']);
  if (!isSendableKey(key)) {
    if (variable === undefined) report(path, SENDABLE_KEY_RULE);
    else report(path, `${variable} ${SENDABLE_KEY_RULE}`, 'key');
  }
  return key;
}

/** Reads headers from the file, and reports those that cannot be sent. */
export function sendableHeaders(
  { report, secrets }: ResolveContext,
  path: Path,
  written: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(written).map(([name, text]) => {
      const value = trimLineEnd(text);
      secrets.add(value, [name]);
      const problem = headerNameProblem(name);
      if (problem !== undefined) report([...path, name], problem, 'key');
      else if (!HEADER_VALUE.test(value)) report([...path, name], HEADER_VALUE_RULE);
      return [name, value];
    }),
  );
}

/** Returns why a header name is invalid; undefined if it is valid. */
function headerNameProblem(name: string): string | undefined {
  if (!HEADER_NAME.test(name))
    return 'is not a valid header name; use letters, digits and dashes, without spaces';
  if (CONNECTION_HEADERS.has(name.toLowerCase())) return 'is set by the connection itself; remove it';
  return undefined;
}
