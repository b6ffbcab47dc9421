import { editMembers } from '../../../shared/json-members.ts';
import type { EmbeddingsExchange } from '../provider.ts';
import { usageOf } from '../usage-of.ts';
import { WITHOUT_OURS } from '../without-ours.ts';

/** The client's wire is the provider's: bytes both ways. */
export const openAiEmbeddings: EmbeddingsExchange = {
  path: () => '/embeddings',
  request: ({ bytes, members, model }) =>
    editMembers(bytes, { ...WITHOUT_OURS, model: JSON.stringify(model) }, members),
  answer: undefined,
  usage: usageOf,
};
