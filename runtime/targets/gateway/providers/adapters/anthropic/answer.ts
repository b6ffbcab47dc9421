import { lookup } from '#core/values/lookup.ts';
import type { FinishReason, Json } from '../../shapes/chat.ts';
import { blockAnswer, blockFinish, blockUsage, createBlockCalls, NOTHING } from '../block-answer.ts';
import { sumOfCounts } from '../usage-of.ts';
import { membersOf } from '#core/json/members-of.ts';
import { requiredObjectsIn, objectIn } from '../../wires/foreign-json.ts';
import { outputTexts } from '../../streams/tally.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder, StreamStep } from '../../streams/stream.ts';

const OWN_REASONS = lookup<FinishReason>({ pause_turn: 'stop', refusal: 'content_filter' });

/** Translates an Anthropic response to the internal format. */
export function readAnthropicAnswer({ id, model, content, stop_reason: reason, usage }: Json) {
  const blocks = requiredObjectsIn(content, '`content`');
  return blockAnswer({
    id,
    model,
    texts: blocks.flatMap(({ type, text }) => (type === 'text' ? [textOf(text)] : [])),
    thoughts: blocks.flatMap(({ type, thinking }) => (type === 'thinking' ? [textOf(thinking)] : [])),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id: call = '', name = '', input }) => ({ id: call, name, input })),
    finish: finishOf(reason),
    usage: anthropicUsage(usage),
  });
}

const textOf = (text: unknown): string => outputTexts(text).join('');

const finishOf = (reason: unknown): FinishReason => blockFinish(reason, OWN_REASONS);

/** A response's usage, including the searches that Anthropic bills. @internal Exported for tests only. */
export function anthropicUsage(usage: unknown) {
  const told = membersOf(usage);
  const { cache_read_input_tokens: read, output_tokens_details: details } = told;
  const { ephemeral_5m_input_tokens: minutes, ephemeral_1h_input_tokens: hour } = membersOf(
    told['cache_creation'],
  );
  const { web_search_requests: searches } = membersOf(told['server_tool_use']);
  const written = told['cache_creation_input_tokens'] ?? sumOfCounts(minutes, hour);
  return {
    ...blockUsage({ input: told['input_tokens'], read, written, hour, output: told['output_tokens'] }),
    completion_tokens_details: { reasoning_tokens: membersOf(details)['thinking_tokens'] ?? 0 },
    ...(searches !== undefined && { server_tool_use: { web_search_requests: searches } }),
  };
}

/** @see https://docs.anthropic.com/en/docs/build-with-claude/streaming */
export function anthropicDecoder(): EventDecoder<unknown> {
  let head: Json = {};
  let usage: Json = {};
  const calls = createBlockCalls();

  const chunk = (delta: Json): StreamStep<unknown> => ({
    kind: 'chunks',
    chunks: [{ ...head, choices: [{ index: 0, delta, finish_reason: null }] }],
  });

  const startBlock = (index: unknown, block: Json): StreamStep<unknown> => {
    if (block['type'] !== 'tool_use') return NOTHING;
    const { id = '', name = '' } = block;
    return chunk(calls.start(index, id, name));
  };

  const continueBlock = (index: unknown, delta: Json): StreamStep<unknown> => {
    if (delta['type'] === 'text_delta') return chunk({ content: delta['text'] });
    if (delta['type'] === 'thinking_delta') return chunk({ reasoning_content: delta['thinking'] });
    if (delta['type'] !== 'input_json_delta') return NOTHING;
    const more = calls.continue(index, delta['partial_json']);
    return more ? chunk(more) : NOTHING;
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

/** Only the counts that are present. Later counts replace earlier ones, but a later `null` must not. */
const known = (usage: unknown): Json =>
  Object.fromEntries(Object.entries(membersOf(usage)).filter(([, value]) => value !== null));
