import { editMembers } from '../../../../core/json-members.ts';
import type { EmbeddingsExchange } from '../api.ts';
import { usageOf } from '../usage-of.ts';

/** The client's wire is the provider's: bytes both ways. */
export const openAiEmbeddings: EmbeddingsExchange = {
  path: () => '/embeddings',
  request: ({ bytes, model }) => editMembers(bytes, { model: JSON.stringify(model), guardrails: undefined }),
  answer: undefined,
  usage: usageOf,
};
