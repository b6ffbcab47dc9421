import type { TokenCount } from '../provider.ts';
import { GEMINI_EDITS } from './edits.ts';
import { bareModel, modelPath } from './model-path.ts';

/** @see https://ai.google.dev/api/tokens */
export const geminiTokenCount: TokenCount = {
  wire: 'gemini',
  path: (model) => modelPath(model, 'countTokens'),
  request: (request, model) => ({
    generateContentRequest: { model: `models/${bareModel(model)}`, ...request },
  }),
  edits: () => GEMINI_EDITS,
  count: ({ totalTokens: tokens }) => tokens,
};
