import { lookup } from '#core/values/lookup.ts';
import type { FinishReason, Json } from '../shapes/chat.ts';
import type { StreamStep } from '../streams/stream.ts';
import { sumOfCounts } from './usage-of.ts';

// Responses of Anthropic's API and Amazon's Converse have the same structure: blocks of text, thoughts and
// tool calls, numbered together, and usage that counts cached tokens separately from the prompt.

/** The content of a response from either API, under common names. */
interface BlockAnswer {
  readonly id: unknown;
  readonly model: unknown;
  readonly texts: readonly string[];
  readonly thoughts: readonly string[];
  readonly calls: readonly BlockCall[];
  readonly finish: FinishReason;
  readonly usage: Json;
}

interface BlockCall {
  readonly id: unknown;
  readonly name: unknown;
  readonly input: unknown;
}

/** The response in the internal format. Neither API reports its creation time. */
export const blockAnswer = ({ id, model, texts, thoughts, calls, finish, usage }: BlockAnswer) => ({
  id,
  object: 'chat.completion',
  created: 0,
  model,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: texts.length > 0 ? texts.join('') : null,
        ...(thoughts.length > 0 && { reasoning_content: thoughts.join('') }),
        ...(calls.length > 0 && { tool_calls: calls.map(wholeCall) }),
      },
      finish_reason: finish,
    },
  ],
  usage,
});

const wholeCall = ({ id, name, input }: BlockCall) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input ?? {}) },
});

const FINISH = lookup<FinishReason>({
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
});

/** The finish reason; `own` contains the stop reasons that only one of the APIs has. */
export const blockFinish = (reason: unknown, own: Readonly<Record<string, FinishReason>>): FinishReason =>
  (typeof reason === 'string' ? (FINISH[reason] ?? own[reason]) : undefined) ?? 'stop';

interface BlockUsage {
  readonly input: unknown;
  /** Tokens read from the cache. */
  readonly read: unknown;
  /** Tokens written to the cache. */
  readonly written: unknown;
  /** How many of the `written` tokens are cached for 1 hour. */
  readonly hour: unknown;
  readonly output: unknown;
}

/** Usage in the internal format, where cache reads and cache writes are part of the prompt. */
export function blockUsage({ input, read, written, hour, output }: BlockUsage) {
  const prompt = sumOfCounts(input, read, written);
  const completion = sumOfCounts(output);
  return {
    ...(prompt !== undefined && { prompt_tokens: prompt }),
    ...(completion !== undefined && { completion_tokens: completion }),
    total_tokens: (prompt ?? 0) + (completion ?? 0),
    prompt_tokens_details: {
      cached_tokens: read ?? 0,
      cache_write_tokens: written ?? 0,
      ...(typeof hour === 'number' && hour > 0 && { cache_write_1h_tokens: hour }),
    },
  };
}

export const NOTHING: StreamStep<unknown> = { kind: 'nothing' };

/**
 * Tool calls in a stream, by block index. These APIs number all blocks together, whereas OpenAI's API only
 * numbers the calls.
 */
export function createBlockCalls() {
  const numbers = new Map<unknown, number>();
  return {
    /** Returns the delta that starts a call. */
    start(block: unknown, id: unknown, name: unknown): Json {
      const index = numbers.size;
      numbers.set(block, index);
      return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] };
    },
    /** Returns the delta that continues a call; undefined if the block is not a call. */
    continue(block: unknown, text: unknown): Json | undefined {
      const index = numbers.get(block);
      return index === undefined ? undefined : { tool_calls: [{ index, function: { arguments: text } }] };
    },
  };
}
