import type { TokenCount } from '../provider.ts';
import { bareModel, modelPath } from './model-path.ts';

/** @see https://ai.google.dev/api/tokens */
export const geminiTokenCount: TokenCount = {
  wire: undefined,
  path: (model) => modelPath(model, 'countTokens'),
  request: (request, model) => ({
    generateContentRequest: { model: `models/${bareModel(model)}`, ...request },
  }),
  count: ({ totalTokens: tokens }) => tokens,
};
