import type { Json } from '../../wires/chat/shape.ts';
import type { ProviderAdapter } from '../api.ts';
import { bareModel } from './model-path.ts';

/** @see https://ai.google.dev/api/models */
export const geminiModels: ProviderAdapter['models'] = {
  path: '/v1beta/models?pageSize=1000',
  list: ({ models }) =>
    (Array.isArray(models) ? (models as Json[]) : []).flatMap(({ name }) =>
      typeof name === 'string' ? [{ id: bareModel(name), created: 0, ownedBy: 'google' }] : [],
    ),
};
