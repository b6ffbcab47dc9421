import type { TokenCount } from '../provider.ts';

/** Counts for requests of OpenAI's responses. @see https://platform.openai.com/docs/api-reference/responses/input-tokens */
export const openAiTokenCount: TokenCount = {
  wire: 'responses',
  path: () => '/responses/input_tokens',
  request: undefined,
  edits: (model) => ({ model: JSON.stringify(model) }),
  count: ({ input_tokens: tokens }) => tokens,
};
