import type { Clock } from '#platform/clock.ts';
import type {
  FailedAnswer,
  ModelEntry,
  Provider,
  ProviderAdapter,
  ProviderInstance,
  ProviderLimits,
  WholeAnswer,
  CountedInput,
  ProviderCall,
} from './provider.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';
import { createRedactions } from '#core/text/redactions.ts';
import { createChatCaller } from './chat-call.ts';
import { createExchange, type JsonAnswer, type Exchange, isFailed, requestOrFailure } from './exchange.ts';
import { failure, thrownFailure } from './failure.ts';
import { createRelay } from './relay.ts';
import { createRedact, type Redact } from './redact.ts';
import type { Json } from '../shapes/chat.ts';
import { objectsIn } from '../wires/foreign-json.ts';
import type { ObjectCall, ProviderObjects, OpenedSocket, RealtimeCall } from './other-calls.ts';
import { randomBytes } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { isCount } from '#core/numbers/is-count.ts';
import { editMembers } from '../../shared/json-members.ts';
import { REQUEST_POLICY } from '../shapes/policies.ts';
import { CLIENT_WIRES } from '../wires/index.ts';
import { withSupportedTools } from '../wires/custom-tools.ts';
import { REMOVE_GATEWAY_MEMBERS } from './unsupported.ts';
import { callWithKeys, type KeyAccess } from './keys/call-with-keys.ts';
import type { KeyPool } from './keys/key-pool.ts';

interface ProviderParts {
  readonly instance: Pick<
    ProviderInstance,
    'name' | 'apiKey' | 'keys' | 'headers' | 'models' | 'listedAs' | 'secrets'
  >;
  /** The pool of `instance.keys`. */
  readonly pool?: KeyPool | undefined;
  readonly adapter: ProviderAdapter;
  readonly upstream: Upstream;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
}

const MODELS_MS = 10_000;

/**
 * The API key, and all headers that can contain credentials. Headers with versions and media types are
 * omitted.
 */
function secretsOf({
  apiKey = '',
  keys = [],
  headers = {},
  secrets = [],
}: ProviderParts['instance']): string[] {
  const redactions = createRedactions();
  for (const key of [apiKey, ...keys.map((one) => one.apiKey)]) redactions.add(key, ['key']);
  for (const secret of secrets) redactions.add(secret, ['secret']);
  for (const [name, value] of Object.entries(headers)) redactions.add(value, [name]);
  return redactions.all().map(({ value }) => value);
}

/**
 * Throws if a `/v1/embeddings` response contains no vectors, so that the user is not billed for the
 * response.
 */
function requireVectors({ data }: Json): void {
  const vectors = data === undefined ? [] : objectsIn(data, '`data`');
  if (vectors.length === 0) throw new Error('The response contains no vectors.');
  const isVector = ({ embedding }: Json): boolean =>
    typeof embedding === 'string' || Array.isArray(embedding);
  if (!vectors.every(isVector)) throw new Error('`data` has an item without a vector.');
}

/** A provider that is called over HTTP in the format of its adapter. */
export function createProvider({
  instance,
  pool,
  adapter,
  upstream,
  limits,
  clock,
}: ProviderParts): Provider {
  const { name, models = [] } = instance;
  const redact = createRedact(secretsOf(instance));
  const keys = pool && keyAccess(pool, instance, adapter);
  const exchange = createExchange({ upstream, adapter, limits, clock, redact, keys });
  const { embeddings } = adapter;
  const unsupported = (feature: string): FailedAnswer =>
    failure('unsupported', {
      text: `Provider \`${name}\` does not support ${feature}. Use a model from another provider.`,
    });
  return {
    name,
    type: adapter.type,
    modelNames: adapter.modelNames,
    listedAs: instance.listedAs,
    speaks: (wire) => adapter.native[wire] !== undefined,
    keys: pool,
    chat: createChatCaller({ adapter, exchange, limits, clock, unsupported }),
    async embed(call) {
      if (!embeddings) return unsupported('embeddings');
      const { signal, showModel, isBilled } = call;
      const body = requestOrFailure(() => embeddings.request(call));
      if (isFailed(body)) return body;
      const { trace } = call;
      const path = embeddings.path(call.model);
      const request = { method: 'POST', path, body, headers: trace, call } as const;
      const limit = { signal, timeoutMs: limits.answerMs };
      const read = (answer: JsonAnswer): WholeAnswer => {
        const summary = {
          usage: embeddings.usage(answer.json),
          outputLength: 0,
          outputText: '',
          finishReason: undefined,
        };
        const translated = embeddings.answer?.(answer.json, call);
        requireVectors(translated ?? answer.json);
        if (translated) {
          return { kind: 'whole', bytes: Buffer.from(JSON.stringify(translated)), text: '', summary };
        }
        const bytes = showModel === undefined ? answer.bytes : exchange.renamed('chat', answer, showModel);
        return { kind: 'whole', bytes, text: '', summary };
      };
      return exchange.json(request, limit, read, isBilled ? ({ summary }) => summary : undefined);
    },
    relay: createRelay({ adapter, exchange, limits, clock, unsupported }),
    realtime: createRealtimeDialer({ adapter, upstream, exchange, limits, redact, clock, keys }),
    objects: adapter.hasObjects ? createProviderObjects({ exchange, limits }) : undefined,
    countTokens: createInputCounter({ adapter, exchange }),
    async models(signal) {
      if (models.length > 0) return models.map((id): ModelEntry => ({ id, created: 0, ownedBy: name }));
      const request = { method: 'GET', path: adapter.models.path } as const;
      const limit = { signal, timeoutMs: MODELS_MS };
      const list = await exchange.json(request, limit, ({ json }) => adapter.models.list(json));
      return isFailed(list) ? list.failure : list;
    },
    close: () => upstream.close(),
  };
}

const keyAccess = (
  pool: KeyPool,
  { keys = [] }: ProviderParts['instance'],
  adapter: Pick<ProviderAdapter, 'headers'>,
): KeyAccess => ({
  pool,
  headers: new Map(keys.map(({ name, apiKey }) => [name, adapter.headers(apiKey)])),
});

interface ObjectsParts {
  readonly exchange: Exchange;
  readonly limits: ProviderLimits;
}

/** Calls OpenAI's file, batch and stored response APIs; responses pass through unchanged. */
function createProviderObjects({ exchange, limits }: ObjectsParts): ProviderObjects<FailedAnswer> {
  const limitOf = ({ signal }: ObjectCall) => ({ signal, timeoutMs: limits.answerMs });
  return {
    call: async (call) =>
      await exchange.json(requestOf(call), limitOf(call), ({ bytes, json }) => ({
        kind: 'object' as const,
        bytes,
        json,
      })),
    open: async (call) =>
      await exchange.open(requestOf(call), limitOf(call), ({ headers, body }) =>
        Promise.resolve({
          kind: 'opened' as const,
          type: String(headers['content-type'] ?? 'application/octet-stream'),
          body,
        }),
      ),
  };
}

const requestOf = ({ method, path, body, headers, ...call }: ObjectCall) => ({
  method,
  path,
  body,
  headers,
  call,
});

interface DialerParts {
  readonly adapter: Pick<ProviderAdapter, 'realtimePath'>;
  readonly upstream: Upstream;
  readonly exchange: Pick<Exchange, 'refused'>;
  readonly limits: ProviderLimits;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly keys: KeyAccess | undefined;
}

/** Opens WebSockets to a provider. Extensions are not offered, so frames pass through without compression. */
function createRealtimeDialer({
  adapter,
  upstream,
  exchange,
  limits,
  redact,
  clock,
  keys,
}: DialerParts): Provider['realtime'] {
  const { realtimePath } = adapter;
  const dial = upstream.upgrade?.bind(upstream);
  if (!realtimePath || !dial) return undefined;
  const open = async (
    { model, headers, signal }: RealtimeCall,
    keyHeaders: Readonly<Record<string, string>>,
    heard?: (headers: UpstreamAnswer['headers']) => void,
  ): Promise<OpenedSocket | FailedAnswer> => {
    const late = AbortSignal.timeout(limits.connectMs + limits.firstByteMs);
    try {
      const opened = await dial({
        path: realtimePath(model),
        headers: {
          ...headers,
          ...keyHeaders,
          'sec-websocket-version': '13',
          'sec-websocket-key': randomBytes(16).toString('base64'),
        },
        signal: AbortSignal.any([signal, late]),
      });
      if (!('status' in opened))
        return { kind: 'socket', socket: opened, maxFrameBytes: limits.maxEventBytes };
      heard?.(opened.headers);
      return await exchange.refused(opened);
    } catch (error) {
      if (signal.aborted) return failure('cancelled');
      const facts = { isCancelled: false, timedOut: late.aborted, redact };
      return { kind: 'failed', failure: thrownFailure(error, facts) };
    }
  };
  return (call) =>
    keys
      ? callWithKeys(keys, call, clock, ({ headers, heard }) => open(call, headers, heard))
      : open(call, {});
}

interface TokenCountParts {
  readonly adapter: ProviderAdapter;
  readonly exchange: Exchange;
}

/**
 * Timeout for a token count. It is short, because clients wait for a count before each request and an
 * estimate is available immediately.
 */
const COUNT_MS = 10_000;

/**
 * Creates the function that requests the provider's token count for a prompt; undefined if the provider's
 * API cannot count tokens.
 */
function createInputCounter({ adapter, exchange }: TokenCountParts): Provider['countTokens'] {
  const { tokenCount: counting, translated } = adapter;
  if (!counting) return undefined;
  const bodyOf = (call: ProviderCall): Uint8Array => {
    const { wire, bytes, members, model, body, unsupportedTools = REQUEST_POLICY.unsupportedTools } = call;
    if (wire === counting.wire)
      return editMembers(
        bytes,
        {
          ...CLIENT_WIRES[wire].nativeEdits?.(body),
          ...REMOVE_GATEWAY_MEMBERS,
          ...counting.edits(model),
        },
        members,
      );
    if (!translated || !counting.request)
      throw new AppError(
        'NotImplementedError',
        'The provider cannot count tokens for requests in this API’s format.',
      );
    const { chat } = withSupportedTools(CLIENT_WIRES[wire].toChat(body), unsupportedTools);
    return Buffer.from(JSON.stringify(counting.request(translated.request(chat, model), model)));
  };
  return async (call) => {
    const body = requestOrFailure(() => bodyOf(call));
    if (isFailed(body)) return body;
    const headers = { ...call.trace, ...(call.wire === counting.wire ? call.headers : undefined) };
    const request = { method: 'POST', path: counting.path(call.model), body, headers, call } as const;
    return await exchange.json(
      request,
      { signal: call.signal, timeoutMs: COUNT_MS },
      ({ json }): CountedInput => {
        const tokens = counting.count(json);
        if (!isCount(tokens)) throw new Error('The response does not contain a token count.');
        return { kind: 'counted', tokens };
      },
    );
  };
}
