import type { Context } from 'hono';
import { inputError } from '#contract/errors.ts';
import { disconnectSignal, type HttpExchange } from '#serve/http/exchange/exchange.ts';
import { answerRequest } from '#serve/http/exchange/fetch-exchange.ts';
import type { ShellEnv } from '#serve/http/request-id.ts';
import { wholeNumberOf, wordOf } from '#serve/http/query.ts';
import type { ObjectPage, StoredObject } from '../../accounts/objects/objects.ts';
import type { StoredBytes, StoredRequest } from '../../requests/stored/stored.ts';
import { EVENT_STREAM, KEEP_ALIVE } from '../completions/event-stream.ts';
import { harmlessType } from '../http/harmless-type.ts';
import { attachmentOf } from '../http/answers.ts';
import { callerOf } from '../sign-in/sign-in.ts';

/** A request about stored objects. With the master key, `user` in the query or in the body names the user. */
export const storedRequest = (c: Context<ShellEnv>, userInBody?: unknown): StoredRequest => ({
  caller: callerOf(c),
  user: (typeof userInBody === 'string' ? userInBody : c.req.query('user')) || undefined,
  requestId: c.get('requestId'),
  setHeader: (name, value) => c.header(name, value),
  signal: c.req.raw.signal,
});

/** The provider that a request names, in our header or as clients of LiteLLM do it. */
export const namedProvider = (c: Context): string | undefined =>
  c.req.header('X-Gateway-Provider') ||
  c.req.header('Custom-Llm-Provider') ||
  c.req.query('custom_llm_provider') ||
  c.req.query('provider') ||
  undefined;

const PURPOSE = /^[a-z_]{1,50}$/;

export function objectPageOf(c: Context, { max, fallback }: { max: number; fallback: number }): ObjectPage {
  const purpose = c.req.query('purpose') || undefined;
  if (purpose !== undefined && !PURPOSE.test(purpose))
    throw inputError(`Unknown purpose ${JSON.stringify(purpose.slice(0, 100))}. Use for example batch.`);
  return {
    limit: wholeNumberOf(c, 'limit', { min: 1, max, fallback }),
    after: c.req.query('after') || undefined,
    isOldestFirst: wordOf(c, 'order', ['desc', 'asc'], 'desc') === 'asc',
    purpose,
  };
}

interface Found {
  readonly objects: readonly StoredObject[];
  readonly hasMore: boolean;
}

/** A list in the format of OpenAI's API. */
export const objectListView = ({ objects, hasMore }: Found): object => ({
  object: 'list',
  data: objects.map(({ content }) => content),
  first_id: objects[0]?.id ?? null,
  last_id: objects.at(-1)?.id ?? null,
  has_more: hasMore,
});

/** The answer of a provider, unchanged. */
export const jsonBytes = (c: Context, bytes: Uint8Array): Response =>
  c.newResponse(Buffer.from(bytes), 200, { 'content-type': 'application/json' });

/** Forwards bytes as they arrive. */
export const answerBytes = (
  c: Context<ShellEnv>,
  open: (signal: AbortSignal) => Promise<StoredBytes>,
): Promise<Response> =>
  answerRequest(c, async (exchange: HttpExchange) => {
    const { type: given, filename, pieces } = await open(disconnectSignal(exchange));
    const type = harmlessType(given);
    const isEvents = type.startsWith('text/event-stream');
    const keepAlive = isEvents ? KEEP_ALIVE : { ...KEEP_ALIVE, text: '' };
    const headers = {
      'content-type': isEvents ? EVENT_STREAM : type,
      ...(filename !== undefined && { 'content-disposition': attachmentOf(filename) }),
    };
    exchange.sendPieces(headers, pieces, keepAlive);
  });
