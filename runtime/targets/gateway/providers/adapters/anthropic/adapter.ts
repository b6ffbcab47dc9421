import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder } from '../../streams/stream.ts';
import { outputTexts } from '../../streams/tally.ts';
import type { Json } from '../../shapes/chat.ts';
import { readAnthropicAnswer, anthropicDecoder } from './answer.ts';
import { membersOf } from '#core/json/members-of.ts';
import { requiredObjectsIn } from '../../wires/foreign-json.ts';
import { isObject } from '#core/json/is-object.ts';
import {
  type ModelEntry,
  type ProviderAdapter,
  type TokenCount,
  type ErrorText,
  type UpstreamWire,
  modelEntry,
} from '../provider.ts';
import { openAiErrorText } from '../openai/adapter.ts';
import { REMOVE_GATEWAY_MEMBERS } from '../unsupported.ts';
import { anthropicRequest } from './request.ts';

// Clients of Anthropic's own API see the whole response, including content that the internal format cannot
// express, for example calls to tools that Anthropic runs itself. Guardrails and usage tracking must
// therefore see that content, too.

/** Content types that `readAnswer` translates. */
const TRANSLATED_TYPES = new Set<unknown>(['text', 'thinking', 'tool_use']);

export function readNativeAnswer(body: Json) {
  const answer = readAnthropicAnswer(body);
  const others = requiredObjectsIn(body['content'], '`content`')
    .filter(({ type }) => !TRANSLATED_TYPES.has(type))
    .flatMap(outputTexts);
  if (others.length === 0) return answer;
  return {
    ...answer,
    choices: answer.choices.map((choice) => {
      const content = [...outputTexts(choice.message.content), ...others].join('');
      return { ...choice, message: { ...choice.message, content } };
    }),
  };
}

export function anthropicNativeDecoder(): EventDecoder<unknown> {
  const decode = anthropicDecoder();
  return (event, data) => {
    const step = decode(event, data);
    if (step.kind !== 'nothing') return step;
    const { content_block: block, delta } = membersOf(parseJsonText(data));
    const content = outputTexts([block, delta]).join('');
    if (content === '') return step;
    return { ...step, kind: 'chunks', chunks: [{ choices: [{ index: 0, delta: { content } }] }] };
  };
}

/** @see https://docs.anthropic.com/en/api/models-list @internal Exported for tests only. */
export const anthropicModels: ProviderAdapter['models'] = {
  path: '/v1/models?limit=1000',
  list: ({ data }) => (Array.isArray(data) ? data.filter(isObject).flatMap(readModel) : []),
};

const readModel = ({ id, created_at: created }: Json): ModelEntry[] =>
  modelEntry(id, typeof created === 'string' ? Date.parse(created) / 1000 : 0, 'anthropic');

/** @see https://docs.anthropic.com/en/api/messages-count-tokens */
const anthropicTokenCount: TokenCount = {
  wire: 'messages',
  path: () => '/v1/messages/count_tokens',
  request: ({ model, messages, system, tools, tool_choice: choice }) => ({
    model,
    messages,
    ...(system !== undefined && { system }),
    ...(tools !== undefined && { tools }),
    ...(choice !== undefined && { tool_choice: choice }),
  }),
  edits: (model) => ({ model: JSON.stringify(model) }),
  count: ({ input_tokens: tokens }) => tokens,
};

/**
 * Anthropic's errors have the format `{"type": "error", "error": {"type", "message"}}`; the inner object
 * resembles OpenAI's.
 */
export const anthropicErrorText = (body: unknown): ErrorText => openAiErrorText(body);

/** The Anthropic API version for which the types and translations are written. */
const VERSION = '2023-06-01';

const wire: UpstreamWire = {
  path: () => '/v1/messages',
  decoder: anthropicDecoder,
  answer: readAnthropicAnswer,
  edits: (_body, model) => ({ ...REMOVE_GATEWAY_MEMBERS, model: JSON.stringify(model) }),
};

/** @see https://docs.anthropic.com/en/api/messages */
export const anthropicAdapter: ProviderAdapter = {
  type: 'anthropic',
  headers: (apiKey) => ({
    'anthropic-version': VERSION,
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
  }),
  native: { messages: { ...wire, decoder: anthropicNativeDecoder, answer: readNativeAnswer } },
  translated: { wire, request: anthropicRequest },
  embeddings: undefined,
  tokenCount: anthropicTokenCount,
  models: anthropicModels,
  errorText: anthropicErrorText,
};
