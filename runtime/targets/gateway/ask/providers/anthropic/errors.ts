import type { ErrorText } from '../provider.ts';
import { openAiErrorText } from '../openai/errors.ts';

/** `{"type": "error", "error": {"type", "message"}}`, whose inside is as OpenAI's. */
export const anthropicErrorText = (body: unknown): ErrorText => openAiErrorText(body);
