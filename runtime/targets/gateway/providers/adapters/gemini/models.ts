import { isObject } from '#core/json/is-object.ts';
import type { ProviderAdapter } from '../provider.ts';
import { modelEntry } from '../model-entry.ts';
import { bareModel } from './model-path.ts';

/** @see https://ai.google.dev/api/models */
export const geminiModels: ProviderAdapter['models'] = {
  path: '/v1beta/models?pageSize=1000',
  list: ({ models }) =>
    (Array.isArray(models) ? models.filter(isObject) : []).flatMap(({ name }) =>
      modelEntry(typeof name === 'string' && !name.endsWith('/') ? bareModel(name) : undefined, 0, 'google'),
    ),
};
