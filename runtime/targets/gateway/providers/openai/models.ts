import type { Json } from '../../wires/chat/shape.ts';
import type { ModelEntry, ProviderAdapter } from '../api.ts';

export const openAiModels: ProviderAdapter['models'] = {
  path: '/models',
  list: ({ data }) => (Array.isArray(data) ? (data as Json[]).flatMap(readModel) : []),
};

function readModel({ id, created, owned_by: owner }: Json): ModelEntry[] {
  if (typeof id !== 'string') return [];
  return [
    {
      id,
      created: typeof created === 'number' ? created : 0,
      ownedBy: typeof owner === 'string' ? owner : 'unknown',
    },
  ];
}
