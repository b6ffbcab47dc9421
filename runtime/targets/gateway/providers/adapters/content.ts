import { inputError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { ChatMessage, ContentPart, Json } from '../shapes/chat.ts';
import { isObject } from '#core/json/is-object.ts';
import type { EmbeddingsCall } from './provider.ts';

/** A message's parts; a message whose content is a plain string has one part. */
export function partsOf({ content }: ChatMessage): readonly ContentPart[] {
  if (typeof content !== 'string') return content ?? [];
  return content === '' ? [] : [{ type: 'text', text: content }];
}

/** The complete text of a message. */
export const textOfMessage = (message: ChatMessage): string =>
  partsOf(message)
    .map(({ text, refusal }) => text ?? refusal ?? '')
    .join('');

export interface DataUrl {
  readonly mediaType: string;
  readonly base64: string;
}

/** Parses a base64 `data:` URL. Undefined for other URLs. */
export function readDataUrl(url: string): DataUrl | undefined {
  const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64,/i.exec(url);
  return head?.[1] === undefined
    ? undefined
    : { mediaType: head[1].toLowerCase(), base64: url.slice(head[0].length) };
}

/** A tool call's arguments as an object, parsed from model output. Throws an InputError. */
export function readArguments(text: string, tool: string): Json {
  if (text.trim() === '') return {};
  try {
    const value: unknown = parseJsonText(text);
    if (isObject(value)) return value;
  } catch {
    // Invalid JSON causes the error below.
  }
  throw inputError(`Arguments of tool call \`${tool}\` must be a JSON object: ${text.slice(0, 100)}`);
}

export interface ChatTurn {
  readonly role: string;
  readonly parts: readonly Json[];
}

/**
 * Merges consecutive turns with the same role, because the results of all tool calls in one response must
 * be in a single turn.
 */
export function mergedTurns(turns: readonly ChatTurn[]): ChatTurn[] {
  const all: ChatTurn[] = [];
  for (const turn of turns.filter(({ parts }) => parts.length > 0)) {
    const last = all.at(-1);
    if (last?.role === turn.role) all[all.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] };
    else all.push(turn);
  }
  return all;
}

/** Separates system messages from the rest, for providers whose API has a separate member for them. */
export function splitSystem(messages: readonly ChatMessage[]): {
  readonly system: string;
  readonly rest: readonly ChatMessage[];
} {
  const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';
  return {
    system: messages.filter(isSystem).map(textOfMessage).join('\n\n'),
    rest: messages.filter((message) => !isSystem(message)),
  };
}

/**
 * The texts in an embeddings request. Throws an InputError for token IDs, which only OpenAI's models
 * accept.
 */
export function embeddedTexts(input: unknown, provider: string): readonly string[] {
  if (typeof input === 'string') return [input];
  if (Array.isArray(input) && input.every((text) => typeof text === 'string')) return input;
  throw inputError(`${provider} only embeds text. \`input\` must be a string or a list of strings.`);
}

/** A `/v1/embeddings` response with these vectors. */
export const vectorsAnswer = (
  vectors: readonly (readonly number[])[],
  { body, model, showModel }: EmbeddingsCall,
  promptTokens: number,
): Json => ({
  object: 'list',
  data: vectors.map((values, index) => ({
    object: 'embedding',
    index,
    embedding: body['encoding_format'] === 'base64' ? toBase64(values) : values,
  })),
  model: showModel ?? model,
  usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
});

/** Encodes a vector in the same way as OpenAI's API: as little-endian float32 numbers in base64. */
function toBase64(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => bytes.writeFloatLE(value, at * 4));
  return bytes.toString('base64');
}
