import type { ChatCompletion, Json } from '../../shapes/chat.ts';

/** The provider's shape is the inner shape. */
export const readAnswer = (body: Json): ChatCompletion => body as unknown as ChatCompletion;
