import type { Clock } from '#platform/clock.ts';
import type {
  FailedAnswer,
  ModelEntry,
  Provider,
  ProviderAdapter,
  ProviderInstance,
  ProviderLimits,
  Upstream,
  WholeAnswer,
} from './provider.ts';
import { createRedactions } from '#core/text/redactions.ts';
import { createChatCaller } from './chat-call.ts';
import { createExchange, type JsonAnswer } from './exchange.ts';
import { failure, isFailed, requestOrFailure } from './failure.ts';
import { createTokenCounter } from './token-count.ts';
import { createProviderObjects } from './objects.ts';
import { createRealtimeDialer } from './realtime.ts';
import { createRelay } from './relay.ts';
import { createRedact } from './redact.ts';
import type { Json } from '../shapes/chat.ts';
import { objectsIn } from '../wires/foreign-json.ts';

export interface ProviderParts {
  readonly instance: Pick<
    ProviderInstance,
    'name' | 'apiKey' | 'headers' | 'models' | 'listedAs' | 'secrets'
  >;
  readonly adapter: ProviderAdapter;
  readonly upstream: Upstream;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
}

const MODELS_MS = 10_000;

/** The API key and the headers that can contain credentials; versions and media types are left out. */
function secretsOf({ apiKey = '', headers = {}, secrets = [] }: ProviderParts['instance']): string[] {
  const redactions = createRedactions();
  redactions.add(apiKey, ['key']);
  for (const secret of secrets) redactions.add(secret, ['secret']);
  for (const [name, value] of Object.entries(headers)) redactions.add(value, [name]);
  return redactions.all().map(({ value }) => value);
}

/** Throws if an answer to `/v1/embeddings` has no vectors: the user must not be billed for it. */
function requireVectors({ data }: Json): void {
  const vectors = data === undefined ? [] : objectsIn(data, '`data`');
  if (vectors.length === 0) throw new Error('The response has no vectors.');
  const isVector = ({ embedding }: Json): boolean =>
    typeof embedding === 'string' || Array.isArray(embedding);
  if (!vectors.every(isVector)) throw new Error('`data` has an item without a vector.');
}

/** A provider that is called over HTTP, in the format of its adapter. */
export function createProvider({ instance, adapter, upstream, limits, clock }: ProviderParts): Provider {
  const { name, models = [] } = instance;
  const redact = createRedact(secretsOf(instance));
  const exchange = createExchange({ upstream, adapter, limits, clock, redact });
  const { embeddings } = adapter;
  const unsupported = (feature: string): FailedAnswer =>
    failure('unsupported', {
      text: `Provider \`${name}\` does not support ${feature}. Use a model of another provider.`,
    });
  return {
    name,
    type: adapter.type,
    modelNames: adapter.modelNames,
    listedAs: instance.listedAs,
    chat: createChatCaller({ adapter, exchange, limits, clock, unsupported }),
    async embed(call) {
      if (!embeddings) return unsupported('embeddings');
      const { signal, showModel, isBilled } = call;
      const body = requestOrFailure(() => embeddings.request(call));
      if (isFailed(body)) return body;
      const { trace } = call;
      const request = { method: 'POST', path: embeddings.path(call.model), body, headers: trace } as const;
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
    realtime: createRealtimeDialer({ adapter, upstream, limits, redact }),
    objects: adapter.hasObjects ? createProviderObjects({ exchange, limits }) : undefined,
    countTokens: createTokenCounter({ adapter, exchange }),
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
