import type { ChatCompletion, Json } from './shape.ts';

export const fromChat = (answer: ChatCompletion): Json => ({ ...answer });
