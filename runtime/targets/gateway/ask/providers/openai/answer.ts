import type { ChatCompletion, Json } from '../../wires/chat/shape.ts';

/** The provider's shape is the inner shape. */
export const readAnswer = (body: Json): ChatCompletion => body as unknown as ChatCompletion;
