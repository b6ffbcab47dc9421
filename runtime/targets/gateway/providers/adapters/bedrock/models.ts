import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { modelEntry } from '../model-entry.ts';
import type { ModelEntry, ProviderAdapter } from '../provider.ts';
import type { Json } from '../../shapes/chat.ts';

/** The path of the list, which is at an address of its own. @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html */
export const MODELS_PATH = '/foundation-models';

export const bedrockModels: ProviderAdapter['models'] = {
  path: MODELS_PATH,
  list: ({ modelSummaries: models }) =>
    Array.isArray(models) ? models.filter(isObject).flatMap(readModel) : [],
};

/** Models that can be called by their own name; others need an inference profile. */
function readModel({
  modelId,
  providerName,
  inferenceTypesSupported: types,
  modelLifecycle,
}: Json): ModelEntry[] {
  const isCallable = !Array.isArray(types) || types.includes('ON_DEMAND');
  const isActive = membersOf(modelLifecycle)['status'] !== 'LEGACY';
  if (!isCallable || !isActive) return [];
  return modelEntry(modelId, 0, typeof providerName === 'string' ? providerName : 'amazon');
}
