import { messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Clock } from '#platform/clock.ts';
import type { Json } from '../../shapes/chat.ts';
import { accessRefused } from './access.ts';

export interface TokenRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  /** Form fields. */
  readonly form?: Readonly<Record<string, string>>;
  /** A JSON body, which is sent instead of a form. */
  readonly json?: object;
  /** Maximum time until the complete response. */
  readonly timeoutMs?: number;
  /** What is being requested, as used in messages, e.g. `a token of Microsoft Entra`. */
  readonly what: string;
  readonly clock: Clock;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;
/** A clock that is off by less than this cannot be the reason why a token is rejected. */
const MAX_SKEW_MS = 4 * 60_000;

/**
 * Requests a token. If the server rejects the request, the promise rejects with an error for rejected
 * credentials that contains the reason; if the server cannot be reached, it rejects with a different error.
 */
export async function requestToken(request: TokenRequest): Promise<Json> {
  const text = await requestText(request);
  try {
    return membersOf(parseJsonText(text));
  } catch (cause) {
    throw new Error(`cannot get ${request.what}: ${hostOf(request.url)} returned invalid JSON`, {
      cause,
    });
  }
}

/** Same as `requestToken`, for plain text responses. */
export async function requestText({
  url,
  method = 'POST',
  headers = {},
  form,
  json,
  timeoutMs = TIMEOUT_MS,
  what,
  clock,
}: TokenRequest): Promise<string> {
  const { pathname, search } = new URL(url);
  const body = form ? new URLSearchParams(form).toString() : json && JSON.stringify(json);
  const contentType = form ? 'application/x-www-form-urlencoded' : 'application/json';
  const type = body !== undefined && { 'content-type': contentType };
  // Imported on demand: commands load this module to read the configuration, but most commands do not
  // request tokens.
  const { createJsonClient } = await import('#serve/client/json-client.ts');
  const client = createJsonClient(new URL('/', url), {
    headers: { accept: 'application/json', ...type, ...headers },
    connectMs: timeoutMs,
    answerMs: timeoutMs,
    maxResponseBytes: MAX_BYTES,
  });
  const timeout = new AbortController();
  const disarm = clock.after(timeoutMs, () => timeout.abort(new Error(`no response within ${timeoutMs} ms`)));
  try {
    const { status, text, header } = await client.ask({
      method,
      path: pathname + search,
      body,
      signal: timeout.signal,
    });
    if (status >= 200 && status < 300) return text;
    const message = `${hostOf(url)} rejected the request for ${what} (status ${status}): ${reasonIn(text)}`;
    // If the server is busy, it has not rejected the credentials.
    if (status === 429 || status >= 500) throw new Error(message);
    throw accessRefused(message + skewNote(header('date'), clock.now()));
  } catch (error) {
    if (timeout.signal.aborted)
      throw new Error(`cannot get ${what}: ${messageOf(timeout.signal.reason)}`, { cause: error });
    throw error;
  } finally {
    disarm();
    void client.close();
  }
}

const hostOf = (url: string): string => new URL(url).host;

/** The reason in an OAuth error response, without the additional lines for developers. */
function reasonIn(text: string): string {
  try {
    const { error, error_description: description, message, Message } = membersOf(parseJsonText(text));
    const found = [description, message, Message, error].find((part) => typeof part === 'string');
    if (typeof found === 'string') return (found.split(/\r?\n/)[0] ?? '').slice(0, 300).replace(/\.?$/, '.');
  } catch {
    // If the text is not JSON, the formats below are tried.
  }
  // Amazon's token errors are XML.
  const [, inXml] = /<Message>([^<]+)<\/Message>/.exec(text) ?? [];
  if (inXml !== undefined) return inXml.replace(/\.?$/, '.');
  return text.trim() === '' ? 'no reason.' : `${text.trim().slice(0, 200)}.`;
}

/** A sentence about this machine's clock, if the clock is off by enough to be the reason for the error. */
function skewNote(date: string, now: number): string {
  const difference = now - Date.parse(date);
  if (!(Math.abs(difference) > MAX_SKEW_MS)) return '';
  const minutes = Math.round(Math.abs(difference) / 60_000);
  return ` The clock of this machine is ${minutes} minutes ${difference > 0 ? 'ahead' : 'behind'}; correct it.`;
}
