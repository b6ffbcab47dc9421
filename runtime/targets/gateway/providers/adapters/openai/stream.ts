import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder } from '../../streams/stream.ts';
import type { DecodedFrame } from '../../streams/upstream-reader.ts';
import type { Json } from '../../shapes/chat.ts';
import { requestsUsage, isUsageOnly } from '../../wires/chat/stream.ts';
import type { OpenAiDialect } from '../provider.ts';
import { memberOf } from '#core/values/member-of.ts';

/** Decodes OpenAI's streams, where each event is a chunk of the internal format. */
export const openAiDecoder: EventDecoder<unknown> = (event, data) => {
  if (data === '[DONE]') return { kind: 'end' };
  const json = parseJsonText(data);
  const error = memberOf(json, 'error');
  // Some servers name the event `error` and send the error itself as the data.
  if (event === 'error' || (error !== undefined && error !== null)) return { kind: 'error', body: json };
  return { kind: 'chunks', chunks: [json] };
};

/** Matches the usage events that the gateway requested and the client did not. */
export function hiddenUsage(
  body: Json,
  { streamUsage }: OpenAiDialect,
): ((frame: DecodedFrame) => boolean) | undefined {
  if (!streamUsage || requestsUsage(body)) return undefined;
  return ({ step }) => step.kind === 'chunks' && step.chunks.every(isUsageOnly);
}
