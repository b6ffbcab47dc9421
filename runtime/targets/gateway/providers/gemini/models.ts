import type { Json } from '../../wires/chat/shape.ts';
import type { ProviderAdapter } from '../api.ts';

/** @see https://ai.google.dev/api/models */
export const geminiModels: ProviderAdapter['models'] = {
  path: '/v1beta/models?pageSize=1000',
  list: ({ models }) =>
    (Array.isArray(models) ? (models as Json[]) : []).flatMap(({ name }) =>
      typeof name === 'string' ? [{ id: name.replace(/^models\//, ''), created: 0, ownedBy: 'google' }] : [],
    ),
};
