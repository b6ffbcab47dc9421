import { isObject } from '#core/json/is-object.ts';
import type { Json } from '../../shapes/chat.ts';
import type { ModelEntry, ProviderAdapter } from '../provider.ts';
import { modelEntry } from '../model-entry.ts';

export const openAiModels: ProviderAdapter['models'] = {
  path: '/models',
  list: ({ data }) => (Array.isArray(data) ? data.filter(isObject).flatMap(readModel) : []),
};

const readModel = ({ id, created, owned_by: owner }: Json): ModelEntry[] =>
  modelEntry(id, created, typeof owner === 'string' ? owner : 'unknown');
