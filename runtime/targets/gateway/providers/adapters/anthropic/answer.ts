import type { FinishReason, Json } from '../../shapes/chat.ts';
import { sumOfCounts } from '../usage-of.ts';
import { membersOf } from '#core/json/members-of.ts';
import { requiredObjectsIn, objectIn } from '../../wires/foreign-json.ts';
import { outputTexts } from '../../streams/tally.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder, StreamStep } from '../../streams/stream.ts';

/** Translates an answer of Anthropic to the internal format. */
export function readAnthropicAnswer({ id, model, content, stop_reason: reason, usage }: Json) {
  const blocks = requiredObjectsIn(content, '`content`');
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' ? [textOf(text)] : []));
  const thoughts = blocks.flatMap(({ type, thinking }) => (type === 'thinking' ? [textOf(thinking)] : []));
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(callOf);
  return {
    id,
    object: 'chat.completion',
    // Anthropic does not report it.
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: texts.length > 0 ? texts.join('') : null,
          ...(thoughts.length > 0 && { reasoning_content: thoughts.join('') }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: finishOf(reason),
      },
    ],
    usage: anthropicUsage(usage),
  };
}

const textOf = (text: unknown): string => outputTexts(text).join('');

const callOf = ({ id = '', name = '', input }: Json) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input ?? {}) },
});

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

const finishOf = (reason: unknown): FinishReason =>
  (typeof reason === 'string' ? FINISH[reason] : undefined) ?? 'stop';

/** Anthropic counts cache reads and cache writes separately from the rest of the prompt; the internal format includes them. @internal Exported for tests only. */
export function anthropicUsage(usage: unknown) {
  const told = membersOf(usage);
  const { cache_read_input_tokens: read, output_tokens_details: details } = told;
  const { ephemeral_5m_input_tokens: minutes, ephemeral_1h_input_tokens: hour } = membersOf(
    told['cache_creation'],
  );
  const { web_search_requests: searches } = membersOf(told['server_tool_use']);
  const written = told['cache_creation_input_tokens'] ?? sumOfCounts(minutes, hour);
  const prompt = sumOfCounts(told['input_tokens'], read, written);
  const completion = sumOfCounts(told['output_tokens']);
  return {
    ...(prompt !== undefined && { prompt_tokens: prompt }),
    ...(completion !== undefined && { completion_tokens: completion }),
    total_tokens: (prompt ?? 0) + (completion ?? 0),
    prompt_tokens_details: {
      cached_tokens: read ?? 0,
      cache_write_tokens: written ?? 0,
      ...(typeof hour === 'number' && hour > 0 && { cache_write_1h_tokens: hour }),
    },
    completion_tokens_details: { reasoning_tokens: membersOf(details)['thinking_tokens'] ?? 0 },
    ...(searches !== undefined && { server_tool_use: { web_search_requests: searches } }),
  };
}

/** @see https://docs.anthropic.com/en/docs/build-with-claude/streaming */
export function anthropicDecoder(): EventDecoder<unknown> {
  let head: Json = {};
  let usage: Json = {};
  /** Number of each tool call by the index of its content block: Anthropic numbers all blocks together, OpenAI only the calls. */
  const calls = new Map<unknown, number>();

  const chunk = (delta: Json): StreamStep<unknown> => ({
    kind: 'chunks',
    chunks: [{ ...head, choices: [{ index: 0, delta, finish_reason: null }] }],
  });

  const startBlock = (index: unknown, block: Json): StreamStep<unknown> => {
    if (block['type'] !== 'tool_use') return NOTHING;
    const at = calls.size;
    calls.set(index, at);
    const { id = '', name = '' } = block;
    return chunk({ tool_calls: [{ index: at, id, type: 'function', function: { name, arguments: '' } }] });
  };

  const continueBlock = (index: unknown, delta: Json): StreamStep<unknown> => {
    if (delta['type'] === 'text_delta') return chunk({ content: delta['text'] });
    if (delta['type'] === 'thinking_delta') return chunk({ reasoning_content: delta['thinking'] });
    const at = calls.get(index);
    if (delta['type'] !== 'input_json_delta' || at === undefined) return NOTHING;
    return chunk({ tool_calls: [{ index: at, function: { arguments: delta['partial_json'] } }] });
  };

  return (_event, data) => {
    const json = membersOf(parseJsonText(data));
    switch (json['type']) {
      case 'message_start': {
        const { id, model, usage: first } = objectIn(json['message'], '`message`');
        head = { id, object: 'chat.completion.chunk', created: 0, model };
        usage = membersOf(first);
        return { ...chunk({ role: 'assistant', content: '' }), usageSoFar: anthropicUsage(usage) };
      }
      case 'content_block_start':
        return startBlock(json['index'], objectIn(json['content_block'], '`content_block`'));
      case 'content_block_delta':
        return continueBlock(json['index'], objectIn(json['delta'], '`delta`'));
      case 'message_delta': {
        usage = { ...usage, ...known(json['usage']) };
        const { stop_reason: reason } = objectIn(json['delta'], '`delta`');
        const last = { ...head, choices: [], usage: anthropicUsage(usage) };
        if (reason === null) return { ...NOTHING, usageSoFar: last.usage };
        const finish = {
          ...head,
          choices: [{ index: 0, delta: {}, finish_reason: finishOf(reason) }],
        };
        return { kind: 'chunks', chunks: [finish, last] };
      }
      case 'message_stop':
        return { kind: 'end' };
      case 'error':
        return { kind: 'error', body: json };
      default:
        return NOTHING;
    }
  };
}

const NOTHING: StreamStep<unknown> = { kind: 'nothing' };

/** Counts that are present. Later counts replace earlier ones, but `null` must not. */
const known = (usage: unknown): Json =>
  Object.fromEntries(Object.entries(membersOf(usage)).filter(([, value]) => value !== null));
