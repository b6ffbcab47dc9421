import { membersOf } from '#core/json/members-of.ts';
import { isObject } from '#core/json/is-object.ts';
import { requiredObjectsIn } from '../../wires/foreign-json.ts';
import type { FinishReason, Json } from '../../shapes/chat.ts';
import { sumOfCounts } from '../usage-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder, StreamStep } from '../../streams/stream.ts';

/** Answers have no id. */
const ID = 'chatcmpl-bedrock';

/** Translates an answer of Converse to the internal format. */
export function readConverseAnswer({ output, stopReason, usage }: Json) {
  const blocks = requiredObjectsIn(membersOf(membersOf(output)['message'])['content'], '`content`');
  const texts = blocks.map(({ text }) => text).filter((text) => typeof text === 'string');
  const thoughts = blocks.map(thoughtIn).filter((text) => typeof text === 'string');
  const calls = blocks
    .filter(({ toolUse }) => isObject(toolUse))
    .map(({ toolUse }) => callOf(membersOf(toolUse)));
  return {
    id: ID,
    object: 'chat.completion',
    created: 0,
    model: '',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: texts.length > 0 ? texts.join('') : null,
          ...(thoughts.length > 0 && { reasoning_content: thoughts.join('') }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: finishOf(stopReason),
      },
    ],
    usage: usageOf(usage),
  };
}

const thoughtIn = ({ reasoningContent }: Json): unknown =>
  membersOf(membersOf(reasoningContent)['reasoningText'])['text'];

const callOf = ({ toolUseId: id = '', name = '', input }: Json) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input ?? {}) },
});

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
};

const finishOf = (reason: unknown): FinishReason =>
  (typeof reason === 'string' ? FINISH[reason] : undefined) ?? 'stop';

/** Amazon counts cache reads and writes separately from the rest of the prompt; the internal format includes them. */
function usageOf(usage: unknown) {
  const told = membersOf(usage);
  const { cacheReadInputTokens: read, cacheWriteInputTokens: written, cacheDetails: details } = told;
  const hour = sumOfCounts(
    ...(Array.isArray(details) ? details.map(membersOf) : [])
      .filter(({ ttl }) => ttl === '1h')
      .map(({ inputTokens }) => inputTokens),
  );
  const prompt = sumOfCounts(told['inputTokens'], read, written);
  const completion = sumOfCounts(told['outputTokens']);
  return {
    ...(prompt !== undefined && { prompt_tokens: prompt }),
    ...(completion !== undefined && { completion_tokens: completion }),
    total_tokens: (prompt ?? 0) + (completion ?? 0),
    prompt_tokens_details: {
      cached_tokens: read ?? 0,
      cache_write_tokens: written ?? 0,
      ...(hour !== undefined && hour > 0 && { cache_write_1h_tokens: hour }),
    },
  };
}

/** Decodes the events of ConverseStream. @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
export function converseDecoder(): EventDecoder<unknown> {
  /** Number of each tool call by the index of its block. */
  const calls = new Map<unknown, number>();
  const head = { id: ID, object: 'chat.completion.chunk', created: 0 };
  const chunk = (delta: Json, finish: string | null = null): StreamStep<unknown> => ({
    kind: 'chunks',
    chunks: [{ ...head, choices: [{ index: 0, delta, finish_reason: finish }] }],
  });

  const startBlock = (index: unknown, { toolUse }: Json): StreamStep<unknown> => {
    if (toolUse === undefined) return NOTHING;
    const at = calls.size;
    calls.set(index, at);
    const { toolUseId: id = '', name = '' } = membersOf(toolUse);
    return chunk({ tool_calls: [{ index: at, id, type: 'function', function: { name, arguments: '' } }] });
  };
  const continueBlock = (index: unknown, { text, toolUse, reasoningContent }: Json): StreamStep<unknown> => {
    if (text !== undefined) return chunk({ content: text });
    const { text: thought } = membersOf(reasoningContent);
    if (thought !== undefined) return chunk({ reasoning_content: thought });
    const at = calls.get(index);
    if (toolUse === undefined || at === undefined) return NOTHING;
    return chunk({ tool_calls: [{ index: at, function: { arguments: membersOf(toolUse)['input'] } }] });
  };

  return (event, data) => {
    const json = membersOf(parseJsonText(data));
    switch (event) {
      case 'messageStart':
        return chunk({ role: 'assistant', content: '' });
      case 'contentBlockStart':
        return startBlock(json['contentBlockIndex'], membersOf(json['start']));
      case 'contentBlockDelta':
        return continueBlock(json['contentBlockIndex'], membersOf(json['delta']));
      case 'messageStop':
        return chunk({}, finishOf(json['stopReason']));
      case 'metadata':
        return { kind: 'end', chunks: [{ ...head, choices: [], usage: usageOf(json['usage']) }] };
      case 'error':
        return { kind: 'error', body: json };
      case undefined:
      default:
        return NOTHING;
    }
  };
}

const NOTHING: StreamStep<unknown> = { kind: 'nothing' };
