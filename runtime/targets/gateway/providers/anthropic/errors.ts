import type { ErrorText } from '../api.ts';
import { openAiErrorText } from '../openai/errors.ts';

/** `{"type": "error", "error": {"type", "message"}}`, whose inside is as OpenAI's. */
export const anthropicErrorText = (body: unknown): ErrorText => openAiErrorText(body);
