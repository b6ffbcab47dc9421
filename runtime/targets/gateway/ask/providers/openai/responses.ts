import { parseJsonText } from '../../../../../core/json/json-text.ts';
import type { EventDecoder, StreamStep } from '../../streams/stream.ts';
import { textIn } from '../../streams/tally.ts';
import { outputTexts } from '../../streams/output-texts.ts';
import type { ChatCompletion, ChatUsage, Json, ToolCall } from '../../shapes/chat.ts';
import { refuseBackground } from '../../wires/responses/request.ts';
import type { UpstreamWire } from '../provider.ts';
import { REMOVE_GATEWAY_MEMBERS } from '../gateway-members.ts';

/**
 * OpenAI's Responses API of providers that have it. Requests pass through unchanged; answers are read for usage tracking only.
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export const responsesWire: UpstreamWire = {
  path: () => '/responses',
  decoder: responsesDecoder,
  answer: readResponse,
  edits(body, model) {
    refuseBackground(body);
    return { ...REMOVE_GATEWAY_MEMBERS, model: JSON.stringify(model) };
  },
};

/** Counts the text of each item, because the events at its end repeat all of it. */
function responsesDecoder(): EventDecoder {
  const lengths = new Map<unknown, number>();
  let totalLength = 0;
  const chunkOf = (place: unknown, text: string): StreamStep => {
    if (text === '') return { kind: 'nothing' };
    lengths.set(place, (lengths.get(place) ?? 0) + text.length);
    totalLength += text.length;
    return { kind: 'chunks', chunks: [{ choices: [{ index: 0, delta: { content: text } }] }] };
  };
  return (_event, data): StreamStep => {
    const { type, output_index: place, response, ...rest } = parseJsonText(data) as Json;
    switch (type) {
      case 'response.completed':
      case 'response.incomplete':
        return endOf(readResponse(response as Json), totalLength);
      case 'response.failed':
        return { kind: 'error', body: response };
      case 'error':
        return { kind: 'error', body: { type, ...rest } };
      // The delta is encoded sound, not text.
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

/** The last event contains the whole answer. Its text is new only if the events before did not contain it. */
function endOf({ choices, usage }: ChatCompletion, totalLength: number): StreamStep {
  const [choice] = choices;
  const content = choice ? textIn(choice.message) : '';
  const isNew = content.length > totalLength;
  const finish = choice?.finish_reason ?? 'stop';
  return {
    kind: 'end',
    chunks: [
      {
        choices: [{ index: 0, delta: isNew ? { content } : {}, finish_reason: finish }],
        usage: usage ?? null,
      },
    ],
  };
}

function readResponse(body: Json): ChatCompletion {
  const items = body['output'] as Json[];
  const functions = items.filter(isFunctionCall);
  const text = items
    .filter((item) => !isFunctionCall(item))
    .flatMap(outputTexts)
    .join('');
  const { reason } = (body['incomplete_details'] ?? {}) as Json;
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
    ],
    usage: readTokens(body['usage'] as Json | null | undefined),
  };
}

const isFunctionCall = ({ type }: Json): boolean => type === 'function_call';
const isCall = (item: Json): boolean => isFunctionCall(item) || item['type'] === 'custom_tool_call';

const readCall = ({ call_id: id, name, arguments: text }: Json): ToolCall => ({
  id: String(id),
  type: 'function',
  function: { name: String(name), arguments: typeof text === 'string' ? text : '' },
});

function readTokens(usage: Json | null | undefined): ChatUsage | null {
  if (!usage) return null;
  const { cached_tokens: cached } = (usage['input_tokens_details'] ?? {}) as Record<string, number>;
  const { reasoning_tokens: reasoning } = (usage['output_tokens_details'] ?? {}) as Record<string, number>;
  return {
    prompt_tokens: usage['input_tokens'] as number,
    completion_tokens: usage['output_tokens'] as number,
    prompt_tokens_details: { cached_tokens: cached ?? 0 },
    completion_tokens_details: { reasoning_tokens: reasoning ?? 0 },
  };
}
