import type { ProviderAdapter, UpstreamWire } from '../provider.ts';
import { readAnswer } from './answer.ts';
import { geminiEmbeddings } from './embeddings.ts';
import { GEMINI_EDITS } from './edits.ts';
import { nativeDecoder, readNativeAnswer } from './native.ts';
import { geminiErrorText } from './errors.ts';
import { geminiModels } from './models.ts';
import { geminiRequest } from './request.ts';
import { geminiTokenCount } from './token-count.ts';
import { geminiDecoder } from './stream.ts';
import { modelNames, modelPath } from './model-path.ts';

const wire: UpstreamWire = {
  path: (model, streams) => modelPath(model, streams ? 'streamGenerateContent?alt=sse' : 'generateContent'),
  decoder: geminiDecoder,
  answer: readAnswer,
  edits: () => GEMINI_EDITS,
};

/** @see https://ai.google.dev/api */
export const geminiAdapter: ProviderAdapter = {
  type: 'gemini',
  headers: (apiKey) => (apiKey === undefined ? {} : { 'x-goog-api-key': apiKey }),
  native: { gemini: { ...wire, decoder: nativeDecoder, answer: readNativeAnswer } },
  signsCalls: true,
  translated: { request: geminiRequest, wire },
  embeddings: geminiEmbeddings,
  tokenCount: geminiTokenCount,
  models: geminiModels,
  modelNames,
  errorText: geminiErrorText,
};
