import { parseJsonText } from '../../../../core/json-text.ts';
import type { EventDecoder, StreamStep } from '../../streams/api.ts';
import type { ChatCompletion, ChatChunk, ChatUsage, Json, ToolCall } from '../../wires/chat/shape.ts';
import { refuseBackground } from '../../wires/responses/request.ts';
import type { UpstreamWire } from '../api.ts';
import { WITHOUT_OURS } from '../without-ours.ts';

/**
 * OpenAI's newer wire where the provider speaks it itself. It goes through unchanged; it is read only for the accounts.
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export const responsesWire: UpstreamWire = {
  path: () => '/responses',
  decoder: () => decode,
  answer: readResponse,
  edits(body, model) {
    refuseBackground(body);
    return { ...WITHOUT_OURS, model: JSON.stringify(model) };
  },
};

const decode: EventDecoder = (_event, data): StreamStep => {
  const json = parseJsonText(data) as Json;
  switch (json['type']) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return said({ content: json['delta'] as string });
    case 'response.reasoning_text.delta':
    case 'response.reasoning_summary_text.delta':
      return said({ reasoning_content: json['delta'] as string });
    case 'response.function_call_arguments.delta':
      return said({ tool_calls: [{ index: 0, function: { arguments: json['delta'] as string } }] });
    case 'response.completed':
    case 'response.incomplete': {
      const { choices, usage } = readResponse(json['response'] as Json);
      const reason = choices[0]?.finish_reason ?? 'stop';
      return {
        kind: 'end',
        chunks: [{ choices: [{ index: 0, delta: {}, finish_reason: reason }], usage: usage ?? null }],
      };
    }
    case 'response.failed':
      return { kind: 'error', body: json['response'] };
    case 'error':
      return { kind: 'error', body: json };
    default:
      return { kind: 'nothing' };
  }
};

const said = (delta: NonNullable<NonNullable<ChatChunk['choices']>[number]['delta']>): StreamStep => ({
  kind: 'chunks',
  chunks: [{ choices: [{ index: 0, delta }] }],
});

function readResponse(body: Json): ChatCompletion {
  const items = body['output'] as Json[];
  const text = items
    .flatMap((item) => (item['type'] === 'message' ? (item['content'] as Json[]) : []))
    .map(({ text: said, refusal }) => textOr(said) || textOr(refusal))
    .join('');
  const calls = items.filter((item) => item['type'] === 'function_call').map(readCall);
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
        message: { role: 'assistant', content: text, tool_calls: calls },
        finish_reason: finish === 'stop' && calls.length > 0 ? 'tool_calls' : finish,
      },
    ],
    usage: readTokens(body['usage'] as Json | null | undefined),
  };
}

const readCall = (item: Json): ToolCall => ({
  id: String(item['call_id']),
  type: 'function',
  function: { name: String(item['name']), arguments: textOr(item['arguments']) },
});

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');

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
