import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder, StreamStep } from '../../streams/stream.ts';
import { messageText, outputTexts } from '../../streams/tally.ts';
import type { Json, ToolCall } from '../../shapes/chat.ts';
import type { UpstreamWire } from '../provider.ts';
import { requireStoredBackground } from '../../wires/responses/request.ts';
import { REMOVE_GATEWAY_MEMBERS } from '../unsupported.ts';
import { membersOf } from '#core/json/members-of.ts';
import { isObject } from '#core/json/is-object.ts';
import { requiredObjectsIn } from '../../wires/foreign-json.ts';

/**
 * OpenAI's Responses API, for providers that have it. Requests pass through unchanged; responses are only
 * read for usage tracking.
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export const responsesUpstream: UpstreamWire = {
  path: () => '/responses',
  decoder: responsesDecoder,
  answer: readResponse,
  edits(body, model) {
    requireStoredBackground(body);
    return { ...REMOVE_GATEWAY_MEMBERS, model: JSON.stringify(model) };
  },
  stores: (body) => body['store'] !== false,
};

/**
 * Decodes stream events. The length of each item's text is counted, because the events at the end of an
 * item repeat its whole text.
 */
function responsesDecoder(): EventDecoder<unknown> {
  const lengths = new Map<unknown, number>();
  let totalLength = 0;
  const chunkOf = (place: unknown, text: string): StreamStep<unknown> => {
    if (text === '') return { kind: 'nothing' };
    lengths.set(place, (lengths.get(place) ?? 0) + text.length);
    totalLength += text.length;
    return { kind: 'chunks', chunks: [{ choices: [{ index: 0, delta: { content: text } }] }] };
  };
  return (_event, data) => {
    const { type, output_index: place, response, ...rest } = membersOf(parseJsonText(data));
    switch (type) {
      case 'response.completed':
      case 'response.incomplete':
        return endOf(readResponse(membersOf(response)), totalLength);
      case 'response.failed':
        return { kind: 'error', body: response, usageSoFar: usageIn(response) };
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return { kind: 'nothing', usageSoFar: usageIn(response) };
      case 'error':
        return { kind: 'error', body: { type, ...rest } };
      // The delta is encoded audio, not text.
      case 'response.audio.delta':
        return { kind: 'nothing' };
      default: {
        const text = outputTexts(rest).join('');
        const isNew = String(type).endsWith('.delta') || text.length > (lengths.get(place) ?? 0);
        return isNew ? chunkOf(place, text) : { kind: 'nothing' };
      }
    }
  };
}

/** The last event contains the whole response. Its text is new only if earlier events did not contain it. */
function endOf(
  { choices, usage }: ReturnType<typeof readResponse>,
  totalLength: number,
): StreamStep<unknown> {
  const [choice] = choices;
  const content = messageText(choice.message);
  const isNew = content.length > totalLength;
  const finish = choice.finish_reason;
  return {
    kind: 'end',
    chunks: [
      {
        choices: [{ index: 0, delta: isNew ? { content } : {}, finish_reason: finish }],
        usage,
      },
    ],
  };
}

function readResponse(body: Json) {
  const items = requiredObjectsIn(body['output'], '`output`');
  const functions = items.filter(isFunctionCall);
  const text = items
    .filter((item) => !isFunctionCall(item))
    .flatMap(outputTexts)
    .join('');
  const { reason } = membersOf(body['incomplete_details']);
  const finish = reason === 'content_filter' ? 'content_filter' : reason === undefined ? 'stop' : 'length';
  return {
    id: String(body['id']),
    object: 'chat.completion',
    created: Number(body['created_at'] ?? 0),
    model: String(body['model']),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, tool_calls: functions.map(readCall) },
        finish_reason: finish === 'stop' && items.some(isCall) ? 'tool_calls' : finish,
      },
    ] as const,
    usage: readTokens(body['usage'], items.filter(isSearch).length),
  };
}

const isFunctionCall = ({ type }: Json): boolean => type === 'function_call';
const isCall = (item: Json): boolean => isFunctionCall(item) || item['type'] === 'custom_tool_call';

const readCall = ({ call_id: id, name, arguments: text }: Json): ToolCall => ({
  id: String(id),
  type: 'function',
  function: { name: String(name), arguments: typeof text === 'string' ? text : '' },
});

/** Only searches are billed: opening a page and searching within a page are free. */
const isSearch = ({ type, action }: Json): boolean =>
  type === 'web_search_call' && (membersOf(action)['type'] ?? 'search') === 'search';

/**
 * The usage of a response, which can be incomplete. Most servers send null until the response is complete.
 */
const usageIn = (response: unknown): unknown => {
  const { usage, output } = membersOf(response);
  return readTokens(usage, Array.isArray(output) ? output.map(membersOf).filter(isSearch).length : 0);
};

function readTokens(usage: unknown, searches: number) {
  if (!isObject(usage)) return null;
  const { cached_tokens: cached } = membersOf(usage['input_tokens_details']);
  const { reasoning_tokens: reasoning } = membersOf(usage['output_tokens_details']);
  return {
    prompt_tokens: usage['input_tokens'],
    completion_tokens: usage['output_tokens'],
    prompt_tokens_details: { cached_tokens: cached ?? 0 },
    completion_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
  };
}
