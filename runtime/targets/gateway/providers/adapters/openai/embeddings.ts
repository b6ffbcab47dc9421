import { editMembers } from '../../../shared/json-members.ts';
import type { EmbeddingsExchange } from '../provider.ts';
import { usageOf } from '../usage-of.ts';
import { REMOVE_GATEWAY_MEMBERS } from '../gateway-members.ts';

/** Clients and providers have the same API, so bytes pass through in both directions. */
export const openAiEmbeddings: EmbeddingsExchange = {
  path: () => '/embeddings',
  request: ({ bytes, members, model }) =>
    editMembers(bytes, { ...REMOVE_GATEWAY_MEMBERS, model: JSON.stringify(model) }, members),
  answer: undefined,
  usage: usageOf,
};
