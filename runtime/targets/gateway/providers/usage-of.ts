import type { TokenUsage } from '../streams/api.ts';
import { readUsage } from '../streams/tally.ts';
import type { Json } from '../wires/chat/shape.ts';

/** The usage of an answer in OpenAI's shape. */
export const usageOf = (body: Json): TokenUsage | undefined => readUsage(body['usage'] as Json | undefined);
