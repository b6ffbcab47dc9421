import type { ErrorText } from '../provider.ts';
import { openAiErrorText } from '../openai/errors.ts';

/** Anthropic's errors are `{"type": "error", "error": {"type", "message"}}`; the inner object is like OpenAI's. */
export const anthropicErrorText = (body: unknown): ErrorText => openAiErrorText(body);
