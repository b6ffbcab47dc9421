import type { EventEncoder, StreamSyntax } from '../../streams/stream.ts';
import { DONE_TEXT, eventText } from '../../streams/event-text.ts';
import type { AnswerFacts } from '../client-wire.ts';
import { createCustomCalls } from './custom-calls.ts';
import { hasSignature, withSealed } from './sealed.ts';
import { customNames } from '../custom-tools.ts';
import type { ChatChunk, Json } from '../../shapes/chat.ts';
import { memberOf } from '#core/values/member-of.ts';

/** Writes chunks as events. The usage is included only if the client requested it. */
export function chatEncoder(request: Json, { model, created }: AnswerFacts): EventEncoder {
  const wantsUsage = requestsUsage(request);
  const customs = customNames(request);
  const restored = customs.size === 0 ? undefined : createCustomCalls(customs);
  return {
    encode: (chunks) =>
      (restored ? chunks.map(restored) : chunks)
        .map(sealedChunk)
        .filter((chunk) => wantsUsage || !isUsageOnly(chunk))
        .map((chunk) =>
          eventText({
            ...(wantsUsage ? chunk : withoutUsage(chunk)),
            created: chunk.created || created,
            model,
          }),
        )
        .join(''),
    end: () => ({ last: '', terminal: DONE_TEXT }),
  };
}

const sealedChunk = (chunk: ChatChunk): ChatChunk =>
  chunk.choices?.some(({ delta }) => delta && hasSignature(delta))
    ? {
        ...chunk,
        choices: chunk.choices.map((choice) =>
          choice.delta ? { ...choice, delta: withSealed(choice.delta) } : choice,
        ),
      }
    : chunk;

export const requestsUsage = (request: Json): boolean =>
  memberOf(request['stream_options'], 'include_usage') === true;

export const isUsageOnly = ({ usage, choices }: ChatChunk): boolean =>
  usage !== undefined && usage !== null && choices?.length === 0;

const withoutUsage = ({ usage: _usage, ...chunk }: ChatChunk): ChatChunk => chunk;

export const chatSyntax: StreamSyntax = {
  terminal: DONE_TEXT,
  error: ({ message, code }) =>
    `${eventText({ error: { message, type: 'server_error', param: null, code } })}${DONE_TEXT}`,
};
