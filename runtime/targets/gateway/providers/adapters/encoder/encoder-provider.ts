import type { Clock } from '#platform/clock.ts';
import type { Provider, ProviderLimits, Upstream } from '../provider.ts';
import { createExchange } from '../exchange.ts';
import { createProvider } from '../create-provider.ts';
import { createRedact } from '../redact.ts';
import { encoderAdapter } from './adapter.ts';
import { createClassify } from './classify.ts';
import { createEntityFinder } from './entities.ts';
import { modelTypeOf } from './model-type.ts';

export interface EncoderParts {
  readonly name: string;
  readonly apiKey: string | undefined;
  /** Path of the executable; undefined if it runs elsewhere. */
  readonly program?: string | undefined;
  readonly upstream: Upstream;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
}

/** Time limit to read the type of the model: a list of all models must not wait for an encoder that is starting. */
const TYPE_MS = 2000;

/** An executable as a provider. It has one model, whose name for clients is the name of the encoder in the configuration. */
export function createEncoderProvider({
  name,
  apiKey,
  program,
  upstream,
  limits,
  clock,
}: EncoderParts): Provider {
  const adapter = encoderAdapter;
  const exchange = createExchange({ upstream, adapter, limits, clock, redact: createRedact([apiKey]) });
  const instance = { name, apiKey };
  return {
    ...createProvider({ instance, adapter, upstream, limits, clock }),
    program,
    classify: createClassify(exchange, name, limits.answerMs),
    entities: createEntityFinder(exchange, name, limits.answerMs),
    async models(signal) {
      const modelType = await modelTypeOf(exchange, signal, TYPE_MS);
      return [{ id: name, created: 0, ownedBy: name, modelType }];
    },
  };
}
