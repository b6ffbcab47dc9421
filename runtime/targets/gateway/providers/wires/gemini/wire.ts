import { lookup } from '#core/values/lookup.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { isObject } from '#core/json/is-object.ts';
import type { ChatCompletion, ChatMessage, ChatUsage, Json, ChatChunk } from '../../shapes/chat.ts';
import { createContentSequence, type CallHead, type ContentPiece } from '../content-sequence.ts';
import { foreignText } from '../foreign-json.ts';
import { FOREIGN_SIGNATURE, signatureIn } from '../thought-signatures.ts';
import { eventText, type EventEncoder, type StreamSyntax } from '../../streams/stream.ts';
import type { AnswerFacts, ClientWire } from '../request-members.ts';
import { geminiToChat } from './request.ts';

/** Translates a response from the internal format to Gemini's. */
function fromChat({ id, model, choices, usage }: ChatCompletion): Json {
  return {
    candidates: choices.map(({ index, message, finish_reason: finish }) => ({
      content: { role: 'model', parts: partsOf(message) },
      finishReason: finishOf(finish ?? 'stop'),
      index,
    })),
    usageMetadata: usageOf(usage),
    modelVersion: model,
    responseId: id,
  };
}

function partsOf(message: ChatMessage): Json[] {
  const { content, refusal, reasoning_content: thought, tool_calls: calls, extra_content: extra } = message;
  const text = foreignText(content, '`content`') || refusal;
  const signature = signatureIn(extra);
  return [
    ...(thought ? [{ text: thought, thought: true }] : []),
    ...(text ? [{ text, ...(signature !== undefined && { thoughtSignature: signature }) }] : []),
    ...(calls ?? []).map(({ id, function: { name, arguments: args }, extra_content: own }, number) =>
      callPart({ id, name, number, signature: signatureIn(own) }, args),
    ),
  ];
}

/**
 * A call. The first call in a response always has a signature: clients return the part unchanged, and the
 * next model may be a Gemini model, which would reject a call without a signature.
 */
const callPart = ({ id, name, number, signature }: CallHead, args: string): Json => {
  const shown = signature ?? (number === 0 ? FOREIGN_SIGNATURE : undefined);
  return {
    functionCall: { ...(id !== undefined && { id }), name, args: argsOf(args) },
    ...(shown !== undefined && { thoughtSignature: shown }),
  };
};

/**
 * The arguments as an object. Models sometimes write invalid JSON, in which case the client's function must
 * report the error.
 */
function argsOf(text: string): Json {
  try {
    const value: unknown = parseJsonText(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const FINISH = lookup<string>({
  stop: 'STOP',
  tool_calls: 'STOP',
  function_call: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
});

const finishOf = (finish: string): string => FINISH[finish] ?? 'STOP';

function usageOf(usage: ChatUsage | null | undefined): Json {
  const prompt = usage?.prompt_tokens ?? 0;
  const completion = usage?.completion_tokens ?? 0;
  const thoughts = Math.min(completion, usage?.completion_tokens_details?.reasoning_tokens ?? 0);
  const cached = usage?.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - thoughts,
    totalTokenCount: prompt + completion,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
  };
}

/**
 * Writes chunks as partial Gemini API responses. A function call must be sent in a single part, so it is
 * held back until it is complete.
 */
function geminiEncoder(_request: Json, { model }: AnswerFacts): EventEncoder {
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
      // There is no end marker: the finish reason marks the end.
      return { last, terminal: event([{ text: '' }], { finishReason: finishOf(finish) }) };
    },
  };
}

const geminiSyntax: StreamSyntax = {
  terminal: '',
  error: ({ message, code }) => {
    const [status, name] = ERRORS[code] ?? [502, 'UNAVAILABLE'];
    return eventText({ error: { code: status, message, status: name, details: [{ reason: code }] } });
  },
};

/** The status of stream errors that are not failures of the provider. */
const ERRORS = lookup<readonly [number, string]>({
  guardrail_violation: [403, 'PERMISSION_DENIED'],
  provider_rate_limited: [429, 'RESOURCE_EXHAUSTED'],
  // Requests that have waited in a queue.
  rate_limited: [429, 'RESOURCE_EXHAUSTED'],
  invalid_key: [401, 'UNAUTHENTICATED'],
  inactive_key: [401, 'UNAUTHENTICATED'],
  expired_key: [401, 'UNAUTHENTICATED'],
  invalid_token: [401, 'UNAUTHENTICATED'],
  model_not_allowed: [403, 'PERMISSION_DENIED'],
  user_blocked: [403, 'PERMISSION_DENIED'],
  provider_refused: [400, 'INVALID_ARGUMENT'],
  content_filter: [400, 'INVALID_ARGUMENT'],
  provider_timeout: [504, 'DEADLINE_EXCEEDED'],
  internal_error: [500, 'INTERNAL'],
});

/** `/v1beta/models/{model}:generateContent`. @see https://ai.google.dev/api/generate-content */
export const geminiWire: ClientWire = {
  toChat: geminiToChat,
  fromChat,
  encoder: geminiEncoder,
  syntax: geminiSyntax,
  renames: (json, model) =>
    typeof json['modelVersion'] === 'string' ? { modelVersion: JSON.stringify(model) } : undefined,
};
