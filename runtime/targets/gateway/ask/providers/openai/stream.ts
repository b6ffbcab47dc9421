import { parseJsonText } from '../../../../../core/json/json-text.ts';
import type { EventDecoder, StreamStep } from '../../streams/stream.ts';
import type { DecodedFrame } from '../../streams/upstream-reader.ts';
import type { ChatChunk, Json } from '../../shapes/chat.ts';
import { asksForUsage, isUsageOnly } from '../../wires/chat/stream.ts';
import type { OpenAiDialect } from '../provider.ts';

/** Keeps nothing: each event is a chunk. */
export const openAiDecoder: EventDecoder = (event, data): StreamStep => {
  if (data === '[DONE]') return { kind: 'end' };
  const json = parseJsonText(data) as ChatChunk & { readonly error?: unknown };
  // Some say so in the name of the event, with the error itself as the data.
  if (event === 'error' || (json.error !== undefined && json.error !== null))
    return { kind: 'error', body: json };
  return { kind: 'chunks', chunks: [json] };
};

/** The usage was asked for by us, not by the client. */
export function hiddenUsage(
  body: Json,
  { asksForUsage: canAsk }: OpenAiDialect,
): ((frame: DecodedFrame) => boolean) | undefined {
  if (!canAsk || asksForUsage(body)) return undefined;
  return ({ step }) => step.kind === 'chunks' && step.chunks.every(isUsageOnly);
}
