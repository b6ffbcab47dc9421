import { nativeDecoder, readNativeAnswer } from '../anthropic/native.ts';
import { REMOVE_GATEWAY_MEMBERS } from '../gateway-members.ts';
import type { ProviderAdapter } from '../provider.ts';
import { converseAdapter } from './converse.ts';
import { modelPath } from './model-path.ts';

const VERSION = 'bedrock-2023-05-31';

/** Anthropic's models with their own API: clients of it get everything that Converse cannot express. */
export const anthropicOnBedrock: ProviderAdapter = {
  ...converseAdapter,
  native: {
    messages: {
      path: (model, streams) => modelPath(model, streams ? 'invoke-with-response-stream' : 'invoke'),
      decoder: nativeDecoder,
      answer: readNativeAnswer,
      edits: () => ({
        ...REMOVE_GATEWAY_MEMBERS,
        // The path has both.
        model: undefined,
        stream: undefined,
        anthropic_version: JSON.stringify(VERSION),
      }),
    },
  },
};
