import type { ProviderAdapter, UpstreamWire } from '../provider.ts';
import { REMOVE_GATEWAY_MEMBERS } from '../gateway-members.ts';
import { readAnswer } from './answer.ts';
import { anthropicErrorText } from './errors.ts';
import { anthropicModels } from './models.ts';
import { nativeDecoder, readNativeAnswer } from './native.ts';
import { anthropicRequest } from './request.ts';
import { anthropicTokenCount } from './token-count.ts';
import { anthropicDecoder } from './stream.ts';

/** The version of Anthropic's API that the types and translations here are written for. */
const VERSION = '2023-06-01';

const wire: UpstreamWire = {
  path: () => '/v1/messages',
  decoder: anthropicDecoder,
  answer: readAnswer,
  edits: (_body, model) => ({ ...REMOVE_GATEWAY_MEMBERS, model: JSON.stringify(model) }),
};

/** @see https://docs.anthropic.com/en/api/messages */
export const anthropicAdapter: ProviderAdapter = {
  type: 'anthropic',
  headers: (apiKey) => ({
    'anthropic-version': VERSION,
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
  }),
  native: { messages: { ...wire, decoder: nativeDecoder, answer: readNativeAnswer } },
  translated: { wire, request: anthropicRequest },
  embeddings: undefined,
  tokenCount: anthropicTokenCount,
  models: anthropicModels,
  errorText: anthropicErrorText,
};
