import { lookup } from '#core/values/lookup.ts';
import { membersOf } from '#core/json/members-of.ts';
import { isObject } from '#core/json/is-object.ts';
import { requiredObjectsIn } from '../../wires/foreign-json.ts';
import type { FinishReason, Json } from '../../shapes/chat.ts';
import { blockAnswer, blockFinish, blockUsage, createBlockCalls, NOTHING } from '../block-answer.ts';
import { sumOfCounts } from '../usage-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder, StreamStep } from '../../streams/stream.ts';

const OWN_REASONS = lookup<FinishReason>({
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
});

/** Amazon's responses do not contain an ID, so all of them get this one. */
const ID = 'chatcmpl-bedrock';

/** Translates a Converse response to the internal format. */
export function readConverseAnswer({ output, stopReason, usage }: Json) {
  const blocks = requiredObjectsIn(membersOf(membersOf(output)['message'])['content'], '`content`');
  return blockAnswer({
    id: ID,
    model: '',
    texts: blocks.map(({ text }) => text).filter((text) => typeof text === 'string'),
    thoughts: blocks.map(thoughtIn).filter((text) => typeof text === 'string'),
    calls: blocks
      .filter(({ toolUse }) => isObject(toolUse))
      .map(({ toolUse }) => membersOf(toolUse))
      .map(({ toolUseId: id = '', name = '', input }) => ({ id, name, input })),
    finish: finishOf(stopReason),
    usage: usageOf(usage),
  });
}

const thoughtIn = ({ reasoningContent }: Json): unknown =>
  membersOf(membersOf(reasoningContent)['reasoningText'])['text'];

const finishOf = (reason: unknown): FinishReason => blockFinish(reason, OWN_REASONS);

function usageOf(usage: unknown) {
  const told = membersOf(usage);
  const { cacheReadInputTokens: read, cacheWriteInputTokens: written, cacheDetails: details } = told;
  const hour = sumOfCounts(
    ...(Array.isArray(details) ? details.map(membersOf) : [])
      .filter(({ ttl }) => ttl === '1h')
      .map(({ inputTokens }) => inputTokens),
  );
  return blockUsage({ input: told['inputTokens'], read, written, hour, output: told['outputTokens'] });
}

/**
 * Decodes ConverseStream events. @see
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
export function converseDecoder(): EventDecoder<unknown> {
  const calls = createBlockCalls();
  const head = { id: ID, object: 'chat.completion.chunk', created: 0 };
  const chunk = (delta: Json, finish: string | null = null): StreamStep<unknown> => ({
    kind: 'chunks',
    chunks: [{ ...head, choices: [{ index: 0, delta, finish_reason: finish }] }],
  });

  const startBlock = (index: unknown, { toolUse }: Json): StreamStep<unknown> => {
    if (toolUse === undefined) return NOTHING;
    const { toolUseId: id = '', name = '' } = membersOf(toolUse);
    return chunk(calls.start(index, id, name));
  };
  const continueBlock = (index: unknown, { text, toolUse, reasoningContent }: Json): StreamStep<unknown> => {
    if (text !== undefined) return chunk({ content: text });
    const { text: thought } = membersOf(reasoningContent);
    if (thought !== undefined) return chunk({ reasoning_content: thought });
    if (toolUse === undefined) return NOTHING;
    const more = calls.continue(index, membersOf(toolUse)['input']);
    return more ? chunk(more) : NOTHING;
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
