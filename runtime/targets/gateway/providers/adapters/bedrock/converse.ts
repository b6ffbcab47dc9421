import type { ProviderAdapter, UpstreamWire } from '../provider.ts';
import { REMOVE_GATEWAY_MEMBERS } from '../gateway-members.ts';
import { readAnswer } from './answer.ts';
import { bedrockEmbeddings } from './embeddings.ts';
import { bedrockErrorText } from './errors.ts';
import { modelPath } from './model-path.ts';
import { bedrockModels } from './models.ts';
import { converseRequest } from './request.ts';
import { converseDecoder } from './stream.ts';

const wire: UpstreamWire = {
  path: (model, streams) => modelPath(model, streams ? 'converse-stream' : 'converse'),
  decoder: converseDecoder,
  answer: readAnswer,
  edits: () => REMOVE_GATEWAY_MEMBERS,
};

/** Amazon Bedrock's API for all models. */
export const converseAdapter: ProviderAdapter = {
  type: 'bedrock',
  headers: (apiKey) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  native: {},
  translated: { wire, request: converseRequest },
  embeddings: bedrockEmbeddings,
  tokenCount: {
    wire: undefined,
    path: (model) => modelPath(model, 'count-tokens'),
    edits: () => REMOVE_GATEWAY_MEMBERS,
    request: ({ messages, system, toolConfig }) => ({
      input: {
        converse: {
          messages,
          ...(system !== undefined && { system }),
          ...(toolConfig !== undefined && { toolConfig }),
        },
      },
    }),
    count: ({ inputTokens }) => inputTokens,
  },
  models: bedrockModels,
  errorText: bedrockErrorText,
};
