import type { Static } from 'typebox';
import type { ModelEntry } from '../../providers/adapters/provider.ts';
import type { model } from './schemas.ts';

export const modelView = ({ id, created, ownedBy }: ModelEntry): Static<typeof model> => ({
  id,
  object: 'model',
  created,
  owned_by: ownedBy,
});
