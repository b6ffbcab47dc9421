import type { TokenCount } from '../provider.ts';

/** @see https://docs.anthropic.com/en/api/messages-count-tokens */
export const anthropicTokenCount: TokenCount = {
  wire: 'messages',
  path: () => '/v1/messages/count_tokens',
  request: ({ model, messages, system, tools, tool_choice: choice }) => ({
    model,
    messages,
    ...(system !== undefined && { system }),
    ...(tools !== undefined && { tools }),
    ...(choice !== undefined && { tool_choice: choice }),
  }),
  edits: (model) => ({ model: JSON.stringify(model) }),
  count: ({ input_tokens: tokens }) => tokens,
};
