import type { ProviderAdapter } from '../provider.ts';
import { readAnswer } from './answer.ts';
import { geminiEmbeddings } from './embeddings.ts';
import { geminiErrorText } from './errors.ts';
import { geminiModels } from './models.ts';
import { geminiRequest } from './request.ts';
import { geminiTokenCount } from './token-count.ts';
import { geminiDecoder } from './stream.ts';
import { modelNames, modelPath } from './model-path.ts';

/** @see https://ai.google.dev/api */
export const geminiAdapter: ProviderAdapter = {
  type: 'gemini',
  headers: (apiKey) => (apiKey === undefined ? {} : { 'x-goog-api-key': apiKey }),
  native: {},
  translated: {
    request: geminiRequest,
    wire: {
      path: (model, streams) =>
        modelPath(model, streams ? 'streamGenerateContent?alt=sse' : 'generateContent'),
      decoder: geminiDecoder,
      answer: readAnswer,
      edits: () => ({}),
    },
  },
  embeddings: geminiEmbeddings,
  tokenCount: geminiTokenCount,
  models: geminiModels,
  modelNames,
  errorText: geminiErrorText,
};
