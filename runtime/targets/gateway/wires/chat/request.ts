import type { ChatRequest, Json } from '../chat/shape.ts';

/** The client's wire is the inner shape. */
export const toChat = (body: Json): ChatRequest => body as ChatRequest;
