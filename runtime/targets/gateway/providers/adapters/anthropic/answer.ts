import type { FinishReason, Json } from '../../shapes/chat.ts';
import { sumOfCounts } from '../sum-of-counts.ts';
import { membersOf } from '#core/json/members-of.ts';
import { requiredObjectsIn } from '../../wires/foreign-json.ts';
import { outputTexts } from '../../streams/output-texts.ts';

/** Translates an answer of Anthropic to the internal format. */
export function readAnswer({ id, model, content, stop_reason: reason, usage }: Json) {
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
    usage: usageOf(usage),
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

export const finishOf = (reason: unknown): FinishReason =>
  (typeof reason === 'string' ? FINISH[reason] : undefined) ?? 'stop';

/** Anthropic counts cache reads and cache writes separately from the rest of the prompt; the internal format includes them. */
export function usageOf(usage: unknown) {
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
