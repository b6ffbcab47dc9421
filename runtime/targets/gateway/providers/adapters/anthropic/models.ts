import { isObject } from '#core/json/is-object.ts';
import type { Json } from '../../shapes/chat.ts';
import type { ModelEntry, ProviderAdapter } from '../provider.ts';
import { modelEntry } from '../model-entry.ts';

/** @see https://docs.anthropic.com/en/api/models-list */
export const anthropicModels: ProviderAdapter['models'] = {
  path: '/v1/models?limit=1000',
  list: ({ data }) => (Array.isArray(data) ? data.filter(isObject).flatMap(readModel) : []),
};

const readModel = ({ id, created_at: created }: Json): ModelEntry[] =>
  modelEntry(id, typeof created === 'string' ? Date.parse(created) / 1000 : 0, 'anthropic');
