import type { ChatChunk, ChatCompletion, ChatRequest } from '../shapes/chat.ts';

// Agents show the reasoning of a model to their users, and programs that read the text of an answer do not see it. So the first answer of a
// conversation names the tools that the model did not get there.

/** The sentence about dropped tools; undefined if there are none, or if it was in an earlier answer. */
export function droppedNotice({ messages }: ChatRequest, dropped: readonly string[]): string | undefined {
  if (dropped.length === 0 || messages.some(({ role }) => role === 'assistant')) return undefined;
  const names = [...new Set(dropped)].map((name) => `\`${name}\``).join(', ');
  return `[gateway] The provider of this model does not support these tools, so they were left out: ${names}.\n\n`;
}

export function withNotice(answer: ChatCompletion, notice: string | undefined): ChatCompletion {
  const [first, ...others] = answer.choices;
  if (notice === undefined || !first) return answer;
  const { reasoning_content: thought } = first.message;
  const message = { ...first.message, reasoning_content: `${notice}${thought ?? ''}` };
  return { ...answer, choices: [{ ...first, message }, ...others] };
}

/** The chunk before the first one of a stream. */
export const noticeChunk = (first: ChatChunk, notice: string): ChatChunk => ({
  ...first,
  usage: null,
  choices: [{ index: 0, delta: { role: 'assistant', reasoning_content: notice }, finish_reason: null }],
});
