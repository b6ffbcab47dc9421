import type { Clock } from '../../../platform/clock.ts';
import type {
  FailedAnswer,
  ModelEntry,
  Provider,
  ProviderAdapter,
  ProviderInstance,
  ProviderLimits,
  Upstream,
} from './api.ts';
import { createChatCaller } from './chat-call.ts';
import { createExchange } from './exchange.ts';
import { failure, isFailed, requestOr } from './failure.ts';
import { createRedact } from './redact.ts';

export interface ProviderParts {
  readonly instance: Pick<ProviderInstance, 'name' | 'apiKey' | 'headers' | 'models'>;
  readonly adapter: ProviderAdapter;
  readonly upstream: Upstream;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
}

const MODELS_MS = 10_000;

/** A provider whose every request goes over HTTP, in the way that its adapter says. */
export function createProvider({ instance, adapter, upstream, limits, clock }: ProviderParts): Provider {
  const { name, apiKey, headers = {}, models = [] } = instance;
  const redact = createRedact([apiKey, ...Object.values(headers)]);
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
      const { signal, showModel } = call;
      const body = requestOr(() => embeddings.request(call));
      if (isFailed(body)) return body;
      const { trace } = call;
      const asked = { method: 'POST', path: embeddings.path(call.model), body, headers: trace } as const;
      const answer = await exchange.json(asked, signal, limits.answerMs);
      if (answer.kind === 'failed') return answer;
      const summary = { usage: embeddings.usage(answer.json), outputLength: 0, finishReason: undefined };
      const translated = embeddings.answer?.(answer.json, call);
      if (translated) {
        return { kind: 'whole', bytes: Buffer.from(JSON.stringify(translated)), text: '', summary };
      }
      const bytes = showModel === undefined ? answer.bytes : exchange.renamed('chat', answer, showModel);
      return { kind: 'whole', bytes, text: '', summary };
    },
    async models(signal) {
      if (models.length > 0) return models.map((id): ModelEntry => ({ id, created: 0, ownedBy: name }));
      const answer = await exchange.json({ method: 'GET', path: adapter.models.path }, signal, MODELS_MS);
      return answer.kind === 'failed' ? answer.failure : adapter.models.list(answer.json);
    },
    close: () => upstream.close(),
  };
}
