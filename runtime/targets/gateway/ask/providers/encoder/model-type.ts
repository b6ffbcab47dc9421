import { MODEL_TYPE_NAMES, type ModelType } from '../../../../../contract/model-types.ts';
import type { Exchange } from '../exchange.ts';
import { isFailed } from '../failure.ts';

/** What an executable says its model is; undefined while it cannot be asked. */
export async function modelTypeOf(
  exchange: Pick<Exchange, 'json'>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<ModelType | undefined> {
  const asked = { method: 'GET', path: '/model' } as const;
  const told = await exchange.json(asked, { signal, timeoutMs }, ({ json }) => ({
    type: json['model_type'],
  }));
  return isFailed(told) ? undefined : MODEL_TYPE_NAMES.find((type) => type === told.type);
}
