import { MODEL_TYPE_NAMES, type ModelType } from '#contract/model-types.ts';
import type { Exchange } from '../exchange.ts';
import { isFailed } from '../failure.ts';

/** The type of an executable's model; undefined while the executable is unavailable. */
export async function modelTypeOf(
  exchange: Pick<Exchange, 'json'>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<ModelType | undefined> {
  const request = { method: 'GET', path: '/model' } as const;
  const model = await exchange.json(request, { signal, timeoutMs }, ({ json }) => ({
    type: json['model_type'],
  }));
  return isFailed(model) ? undefined : MODEL_TYPE_NAMES.find((type) => type === model.type);
}
