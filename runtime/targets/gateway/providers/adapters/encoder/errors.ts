import type { ErrorText } from '../provider.ts';
import { openAiErrorText } from '../openai/errors.ts';

/** Routes under `/v1` return errors in OpenAI's format. Other routes return the message as plain text. */
export const encoderErrorText = (body: unknown): ErrorText =>
  typeof body === 'string' && body !== '' ? { message: body, code: undefined } : openAiErrorText(body);
