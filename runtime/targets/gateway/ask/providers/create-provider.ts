import type { Clock } from '../../../../platform/clock.ts';
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
import { createRedactions } from '../../../../core/text/redactions.ts';
import { createChatCaller } from './chat-call.ts';
import { createExchange, type JsonAnswer } from './exchange.ts';
import { failure, isFailed, requestOr } from './failure.ts';
import { createRedact } from './redact.ts';
import type { Json } from '../shapes/chat.ts';
import { objectsIn } from '../wires/foreign-json.ts';

export interface ProviderParts {
  readonly instance: Pick<ProviderInstance, 'name' | 'apiKey' | 'headers' | 'models'>;
  readonly adapter: ProviderAdapter;
  readonly upstream: Upstream;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
}

const MODELS_MS = 10_000;

/** Headers may be secrets too; versions and media types are none. */
function secretsOf({ apiKey = '', headers = {} }: Pick<ProviderInstance, 'apiKey' | 'headers'>): string[] {
  const redactions = createRedactions();
  redactions.add(apiKey, ['key']);
  for (const [name, value] of Object.entries(headers)) redactions.add(value, [name]);
  return redactions.all().map(({ value }) => value);
}

/** Throws for an answer that is none to `/v1/embeddings`: nobody is to pay for it. */
function requireVectors({ data }: Json): void {
  const vectors = data === undefined ? [] : objectsIn(data, '`data`');
  if (vectors.length === 0) throw new Error('The answer has no vectors.');
  const isVector = ({ embedding }: Json): boolean =>
    typeof embedding === 'string' || Array.isArray(embedding);
  if (!vectors.every(isVector)) throw new Error('`data` has what is no vector.');
}

/** A provider whose every request goes over HTTP, in the way that its adapter says. */
export function createProvider({ instance, adapter, upstream, limits, clock }: ProviderParts): Provider {
  const { name, apiKey, headers = {}, models = [] } = instance;
  const redact = createRedact(secretsOf({ apiKey, headers }));
  const exchange = createExchange({ upstream, adapter, limits, clock, redact });
  const { embeddings } = adapter;
  const cannot = (what: string): FailedAnswer =>
    failure('unsupported', {
      text: `The provider \`${name}\` has no ${what}. Use a model of another provider.`,
    });
  return {
    name,
    type: adapter.type,
    modelNames: adapter.modelNames,
    chat: createChatCaller({ adapter, exchange, limits, clock, cannot }),
    async embed(call) {
      if (!embeddings) return cannot('embeddings');
      const { signal, showModel, isBilled } = call;
      const body = requestOr(() => embeddings.request(call));
      if (isFailed(body)) return body;
      const { trace } = call;
      const asked = { method: 'POST', path: embeddings.path(call.model), body, headers: trace } as const;
      const limit = { signal, timeoutMs: limits.answerMs };
      const read = (answer: JsonAnswer): WholeAnswer => {
        const summary = { usage: embeddings.usage(answer.json), outputLength: 0, finishReason: undefined };
        const translated = embeddings.answer?.(answer.json, call);
        requireVectors(translated ?? answer.json);
        if (translated) {
          return { kind: 'whole', bytes: Buffer.from(JSON.stringify(translated)), text: '', summary };
        }
        const bytes = showModel === undefined ? answer.bytes : exchange.renamed('chat', answer, showModel);
        return { kind: 'whole', bytes, text: '', summary };
      };
      return exchange.json(asked, limit, read, isBilled ? ({ summary }) => summary : undefined);
    },
    async models(signal) {
      if (models.length > 0) return models.map((id): ModelEntry => ({ id, created: 0, ownedBy: name }));
      const asked = { method: 'GET', path: adapter.models.path } as const;
      const limit = { signal, timeoutMs: MODELS_MS };
      const list = await exchange.json(asked, limit, ({ json }) => adapter.models.list(json));
      return isFailed(list) ? list.failure : list;
    },
    close: () => upstream.close(),
  };
}
