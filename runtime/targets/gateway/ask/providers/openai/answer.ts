import type { ChatCompletion, Json } from '../../shapes/chat.ts';

/** The internal format is OpenAI's. */
export const readAnswer = (body: Json): ChatCompletion => body as unknown as ChatCompletion;
