import type { EventEncoder, StreamSyntax } from '../../streams/stream.ts';
import { eventText } from '../../streams/event-text.ts';
import type { ChatChunk, ChatUsage, Json } from '../../shapes/chat.ts';
import type { AnswerFacts } from '../client-wire.ts';
import { type CallHead, type ContentPiece, createContentSequence } from '../content-sequence.ts';
import { callPart, finishOf, usageOf } from './answer.ts';

/** Writes chunks as partial answers of Gemini's API. A function call is one part, so it is held back until it is complete. */
export function geminiEncoder(_request: Json, { model }: AnswerFacts): EventEncoder {
  let id: string | undefined;
  let finish = 'stop';
  let usage: ChatUsage | undefined;
  let open: { readonly call: CallHead; args: string } | undefined;
  const sequence = createContentSequence();

  const event = (parts: readonly Json[], end: Json = {}): string =>
    eventText({
      candidates: [{ content: { role: 'model', parts }, index: 0, ...end }],
      ...(end['finishReason'] !== undefined && { usageMetadata: usageOf(usage) }),
      modelVersion: model,
      responseId: id ?? 'gateway',
    });
  const closed = (): Json[] => {
    if (!open) return [];
    const { call, args } = open;
    open = undefined;
    return [callPart(call, args)];
  };
  const partsOf = (piece: ContentPiece): Json[] => {
    if (piece.kind === 'signature') return [...closed(), { text: '', thoughtSignature: piece.text }];
    if (piece.kind !== 'call')
      return [...closed(), { text: piece.text, ...(piece.kind === 'thinking' && { thought: true }) }];
    if (open?.call === piece.call) {
      open.args += piece.text;
      return [];
    }
    const before = closed();
    open = { call: piece.call, args: piece.text };
    return before;
  };
  const encodeChunk = (chunk: ChatChunk): string => {
    id ??= chunk.id;
    usage = chunk.usage ?? usage;
    const choice = chunk.choices?.find(({ index }) => index === 0);
    finish = choice?.finish_reason ?? finish;
    const parts = choice?.delta ? sequence.take(choice.delta).flatMap(partsOf) : [];
    return parts.length === 0 ? '' : event(parts);
  };
  return {
    encode: (chunks) => chunks.map(encodeChunk).join(''),
    end() {
      const parts = [...sequence.end().flatMap(partsOf), ...closed()];
      const last = parts.length === 0 ? '' : event(parts);
      // There is no end marker: the finish reason is the end.
      return { last, terminal: event([{ text: '' }], { finishReason: finishOf(finish) }) };
    },
  };
}

export const geminiSyntax: StreamSyntax = {
  terminal: '',
  error: ({ message, code }) => {
    const [status, name] = ERRORS[code] ?? [502, 'UNAVAILABLE'];
    return eventText({ error: { code: status, message, status: name, details: [{ reason: code }] } });
  },
};

/** Status of the errors of a stream that are not failures of the provider. */
const ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  guardrail_violation: [403, 'PERMISSION_DENIED'],
  provider_rate_limited: [429, 'RESOURCE_EXHAUSTED'],
  provider_refused: [400, 'INVALID_ARGUMENT'],
  content_filter: [400, 'INVALID_ARGUMENT'],
  provider_timeout: [504, 'DEADLINE_EXCEEDED'],
  internal_error: [500, 'INTERNAL'],
};
