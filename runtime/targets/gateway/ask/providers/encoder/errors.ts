import type { ErrorText } from '../provider.ts';
import { openAiErrorText } from '../openai/errors.ts';

/** Its routes under `/v1` answer errors as OpenAI does; the message of others is the whole body, which is no JSON. */
export const encoderErrorText = (body: unknown): ErrorText =>
  typeof body === 'string' && body !== '' ? { message: body, code: undefined } : openAiErrorText(body);
