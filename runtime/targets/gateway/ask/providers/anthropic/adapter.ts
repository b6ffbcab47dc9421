import type { ProviderAdapter, UpstreamWire } from '../provider.ts';
import { WITHOUT_OURS } from '../without-ours.ts';
import { readAnswer } from './answer.ts';
import { anthropicErrorText } from './errors.ts';
import { anthropicModels } from './models.ts';
import { nativeDecoder, readNativeAnswer } from './native.ts';
import { anthropicRequest } from './request.ts';
import { anthropicDecoder } from './stream.ts';
import type { AnthropicMessage } from '../../shapes/messages.ts';

/** The revision whose shapes these are. */
const VERSION = '2023-06-01';

const wire: UpstreamWire = {
  path: () => '/v1/messages',
  decoder: anthropicDecoder,
  answer: (body) => readAnswer(body as AnthropicMessage),
  edits: (_body, model) => ({ ...WITHOUT_OURS, model: JSON.stringify(model) }),
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
  models: anthropicModels,
  errorText: anthropicErrorText,
};
