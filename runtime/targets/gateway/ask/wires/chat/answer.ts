import type { ChatCompletion, Json } from '../../shapes/chat.ts';

export const fromChat = (answer: ChatCompletion): Json => ({ ...answer });
