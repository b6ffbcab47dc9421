import type { ProviderAdapter } from '../provider.ts';
import { encoderEmbeddings } from './embeddings.ts';
import { encoderErrorText } from './errors.ts';
import { encoderModels } from './models.ts';

/** An `.encoder` executable. Its model embeds or classifies text and does not generate any. */
export const encoderAdapter: ProviderAdapter = {
  type: 'encoder',
  headers: (apiKey) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  native: {},
  translated: undefined,
  embeddings: encoderEmbeddings,
  relays: { rerank: { path: () => '/v1/rerank', requiredList: 'results' } },
  models: encoderModels,
  errorText: encoderErrorText,
};
