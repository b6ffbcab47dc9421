import type { Context } from 'hono';
import { type TSchema, Type } from 'typebox';
import { inputError } from '#contract/errors.ts';
import { disconnectSignal, type HttpExchange } from '#serve/http/exchange.ts';
import { answerRequest } from '#serve/http/fetch-exchange.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';
import { wholeNumberOf, wordOf } from '#serve/http/query.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { ObjectPage, StoredObject } from '../accounts/objects/objects.ts';
import type { StoredBytes, StoredRequest } from '../requests/stored/stored.ts';
import { EVENT_STREAM, KEEP_ALIVE } from './completions/routes.ts';
import { callerAgainOf, callerOf } from './guards.ts';
import { attachmentOf } from './http/answers.ts';
import { harmlessType } from './http/harmless-type.ts';

/** An object as described by the provider. */
export const storedObject = (description: string): TSchema =>
  Type.Object({ id: Type.String() }, { additionalProperties: true, description });

const objectList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(storedObject('An object.')),
  first_id: Type.Unsafe({ type: ['string', 'null'] }),
  last_id: Type.Unsafe({ type: ['string', 'null'] }),
  has_more: Type.Boolean(),
});

/** Errors of routes that send requests to a provider. */
export const STORED_ERRORS: readonly ErrorStatus[] = [400, 402, 403, 404, 409, 422, 429, 500, 502, 503, 504];

export const USER_PARAMETER = {
  name: 'user',
  in: 'query',
  description: 'With the master key: only objects of this user.',
  example: 'ann',
} as const;

const LIST_PARAMETERS: NonNullable<Operation['parameters']> = [
  { name: 'after', in: 'query', description: 'ID of the last object before the page.', example: 'file-1' },
  {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of objects.',
    example: 20,
    schema: Type.Integer({ minimum: 1 }),
  },
  { name: 'order', in: 'query', description: '`desc` (newest first) or `asc`.', example: 'desc' },
  USER_PARAMETER,
];

/** A request about stored objects. With the master key, `user` in the query or body specifies the user. */
export const storedRequest = (c: Context<ShellEnv>, userInBody?: unknown): StoredRequest => ({
  caller: callerOf(c),
  callerAgain: callerAgainOf(c.get('caller')),
  user: (typeof userInBody === 'string' ? userInBody : c.req.query('user')) || undefined,
  requestId: c.get('requestId'),
  setHeader: (name, value) => c.header(name, value),
  signal: c.req.raw.signal,
});

/**
 * The provider specified in a request, either in the gateway's own header or in the format of LiteLLM
 * clients.
 */
export const namedProvider = (c: Context): string | undefined =>
  c.req.header('X-Gateway-Provider') ||
  c.req.header('Custom-Llm-Provider') ||
  c.req.query('custom_llm_provider') ||
  c.req.query('provider') ||
  undefined;

const PURPOSE = /^[a-z_]{1,50}$/;

function objectPageOf(c: Context, { max, fallback }: PageLimit): ObjectPage {
  const purpose = c.req.query('purpose') || undefined;
  if (purpose !== undefined && !PURPOSE.test(purpose))
    throw inputError(
      `Unknown purpose ${JSON.stringify(purpose.slice(0, 100))}. Use a supported purpose, e.g. batch.`,
    );
  return {
    limit: wholeNumberOf(c, 'limit', { min: 1, max, fallback }),
    after: c.req.query('after') || undefined,
    isOldestFirst: wordOf(c, 'order', ['desc', 'asc'], 'desc') === 'asc',
    purpose,
  };
}

/** Number of objects per page. */
interface PageLimit {
  readonly max: number;
  readonly fallback: number;
}

interface Found {
  readonly objects: readonly StoredObject[];
  readonly hasMore: boolean;
}

interface ListedObjects {
  readonly description: string;
  readonly example: { readonly id: string };
  readonly limit: PageLimit;
  readonly filters?: NonNullable<Operation['parameters']>;
  readonly list: (request: StoredRequest, page: ObjectPage) => Promise<Found>;
}

/** The definition of a route that lists the caller's objects in the OpenAI API's format. */
export const listOfObjects = ({ description, example, limit, filters = [], list }: ListedObjects) => ({
  parameters: [...LIST_PARAMETERS, ...filters],
  answer: answerOf(description, objectList, {
    object: 'list',
    data: [example],
    first_id: example.id,
    last_id: example.id,
    has_more: false,
  }),
  async run(c: Context<ShellEnv>) {
    const { objects, hasMore } = await list(storedRequest(c), objectPageOf(c, limit));
    return {
      object: 'list' as const,
      data: objects.map(({ content }) => content),
      first_id: objects[0]?.id ?? null,
      last_id: objects.at(-1)?.id ?? null,
      has_more: hasMore,
    };
  },
});

/** The response from a provider, unchanged. */
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
