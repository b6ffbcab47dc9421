import { objectsIn } from '../../wires/foreign-json.ts';
import type { Json } from '../../shapes/chat.ts';
import type { OpenAiDialect, UpstreamWire } from '../provider.ts';
import { openAiEdits } from './request.ts';
import { hiddenUsage, openAiDecoder } from './stream.ts';

/** OpenAI's API before chats. Requests and answers pass through unchanged. @see https://platform.openai.com/docs/api-reference/completions */
export const completionsUpstream = (dialect: OpenAiDialect): UpstreamWire => ({
  path: () => '/completions',
  decoder: () => (event, data) => {
    const step = openAiDecoder(event, data);
    return step.kind === 'chunks'
      ? { kind: 'chunks', chunks: step.chunks.map((chunk) => withChoices(chunk, 'delta')) }
      : step;
  },
  answer: (body) => withChoices(body, 'message'),
  // These models know the older name of the limit only.
  edits: (body, model) => openAiEdits(body, model, { ...dialect, maxTokens: 'max_tokens' }),
  hidden: (body) => hiddenUsage(body, dialect),
});

/** The texts of the choices as the content of messages, for guardrails and usage tracking. */
function withChoices(body: unknown, member: 'delta' | 'message'): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const json = body as Json;
  return {
    ...json,
    choices: objectsIn(json['choices'], '`choices`').map(({ text, ...choice }) => ({
      ...choice,
      [member]: { content: text ?? null },
    })),
  };
}
