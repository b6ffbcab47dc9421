import type { ChatCompletion, ToolCall } from '#gateway/providers/shapes/chat.ts';

/** The response of a model that calls these tools. */
export const completionCalling = (...calls: readonly ToolCall[]): ChatCompletion => ({
  id: 'a',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, tool_calls: calls },
      finish_reason: 'tool_calls',
    },
  ],
  usage: null,
});
