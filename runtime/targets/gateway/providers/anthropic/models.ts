import type { Json } from '../../wires/chat/shape.ts';
import type { ModelEntry, ProviderAdapter } from '../api.ts';

/** @see https://docs.anthropic.com/en/api/models-list */
export const anthropicModels: ProviderAdapter['models'] = {
  path: '/v1/models?limit=1000',
  list: ({ data }) => (Array.isArray(data) ? (data as Json[]).flatMap(readModel) : []),
};

function readModel({ id, created_at: created }: Json): ModelEntry[] {
  if (typeof id !== 'string') return [];
  const at = typeof created === 'string' ? Date.parse(created) : Number.NaN;
  return [{ id, created: Number.isNaN(at) ? 0 : Math.floor(at / 1000), ownedBy: 'anthropic' }];
}
