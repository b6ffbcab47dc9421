import { MODEL_TYPE_NAMES, type ModelType } from '../../../../contract/model-types.ts';
import type { Exchange } from '../exchange.ts';

/** What an executable says its model is; undefined while it cannot be asked. */
export async function modelTypeOf(
  exchange: Pick<Exchange, 'json'>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<ModelType | undefined> {
  const answer = await exchange.json({ method: 'GET', path: '/model' }, signal, timeoutMs);
  if (answer.kind === 'failed') return undefined;
  return MODEL_TYPE_NAMES.find((type) => type === answer.json['model_type']);
}
