import { anthropicNativeDecoder as anthropicNative } from '#gateway/providers/adapters/anthropic/adapter.ts';
import { anthropicDecoder } from '#gateway/providers/adapters/anthropic/answer.ts';
import { converseDecoder } from '#gateway/providers/adapters/bedrock/answer.ts';
import { geminiNativeDecoder as geminiNative } from '#gateway/providers/adapters/gemini/adapter.ts';
import { geminiDecoder } from '#gateway/providers/adapters/gemini/answer.ts';
import { completionsUpstream, openAiDecoder } from '#gateway/providers/adapters/openai/adapter.ts';
import { responsesUpstream } from '#gateway/providers/adapters/openai/responses.ts';
import { AUDIO_EVENTS } from '#gateway/providers/adapters/openai/audio.ts';
import type { EventDecoder } from '#gateway/providers/streams/stream.ts';
import { countTokensOfRequest } from '#gateway/requests/completions/estimate.ts';
import { createTokenCounter } from '#gateway/requests/tokens/token-counter.ts';

// A stream can be canceled after any event. Counts reported by the provider until then are used, and only the rest
// is estimated.

/** Token counts match the text, so that estimates can be compared with exact numbers. */
export const MODEL = 'openai:gpt-4o';
export const counter = createTokenCounter();
await counter.loading([MODEL]);
export const counts = await countTokensOfRequest(
  counter,
  { promptTokens: (body, count) => count(body) },
  { messages: [{ role: 'user', content: 'Name three rivers.' }] },
  [MODEL],
);
export const GUESS = counts.prompt(MODEL);
const FIRST = 'The Rhine, the Danube';
const SECOND = ' and the river Elbe, in this order.';
const [FIRST_TOKENS, SECOND_TOKENS] = [FIRST, SECOND].map((text) => counter.output(MODEL, text)) as [
  number,
  number,
];
const BOTH = counter.output(MODEL, FIRST + SECOND);

type Event = unknown;

interface Step {
  /** The last event that is read. */
  readonly event: Event;
  readonly name?: string;
  /** Prompt and completion tokens, then cached and written ones, if the stream ends after this event. */
  readonly booked: readonly [prompt: number, completion: number, cached?: number, written?: number];
  /** Whether one of the counts is an estimate. */
  readonly estimated: boolean;
}

interface Stream {
  readonly file: string;
  readonly decoder: () => EventDecoder<unknown>;
  readonly steps: readonly Step[];
}

const chat = (content: string | undefined, usage?: object) => ({
  choices: content === undefined ? [] : [{ index: 0, delta: { content }, finish_reason: null }],
  ...(usage && { usage }),
});
export const told = (prompt: number, completion: number, cached = 0) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  prompt_tokens_details: { cached_tokens: cached },
});
const FINISH = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

const anthropic = (file: string, decoder: () => EventDecoder<unknown>): Stream => ({
  file,
  decoder,
  steps: [
    { event: { type: 'ping' }, booked: [GUESS, 0], estimated: true },
    {
      event: {
        type: 'message_start',
        message: {
          id: 'msg',
          model: 'm',
          usage: {
            input_tokens: 500,
            cache_read_input_tokens: 9000,
            cache_creation_input_tokens: 700,
            output_tokens: 3,
          },
        },
      },
      // The first tokens are counted before their text arrives.
      booked: [10_200, 3, 9000, 700],
      estimated: false,
    },
    {
      event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: FIRST } },
      booked: [10_200, FIRST_TOKENS, 9000, 700],
      estimated: true,
    },
    {
      event: { type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 40 } },
      booked: [10_200, 40, 9000, 700],
      estimated: false,
    },
    {
      event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: SECOND } },
      booked: [10_200, 40 + SECOND_TOKENS, 9000, 700],
      estimated: true,
    },
    {
      event: { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 60 } },
      booked: [10_200, 60, 9000, 700],
      estimated: false,
    },
  ],
});

const part = (text: string | undefined, usage?: object, finishReason?: string) => ({
  candidates: [{ index: 0, content: { parts: text === undefined ? [] : [{ text }] }, finishReason }],
  ...(usage && { usageMetadata: usage }),
});
const gemini = (file: string, decoder: () => EventDecoder<unknown>): Stream => ({
  file,
  decoder,
  steps: [
    {
      // Hidden reasoning is counted although its text never arrives.
      event: part(undefined, {
        promptTokenCount: 800,
        cachedContentTokenCount: 600,
        thoughtsTokenCount: 120,
      }),
      booked: [800, 120, 600],
      estimated: false,
    },
    {
      event: part(FIRST),
      booked: [800, 120 + FIRST_TOKENS, 600],
      estimated: true,
    },
    {
      event: part(SECOND, { promptTokenCount: 800, candidatesTokenCount: 31, thoughtsTokenCount: 120 }),
      booked: [800, 151, 600],
      estimated: false,
    },
    {
      event: part('', { promptTokenCount: 800, candidatesTokenCount: 32, thoughtsTokenCount: 120 }, 'STOP'),
      booked: [800, 152, 600],
      estimated: false,
    },
  ],
});

const response = (usage: unknown) => ({ id: 'resp', output: [], usage });

export const STREAMS: readonly Stream[] = [
  anthropic('anthropic/answer.ts', anthropicDecoder),
  anthropic('anthropic/adapter.ts', anthropicNative),
  gemini('gemini/answer.ts', geminiDecoder),
  gemini('gemini/adapter.ts', geminiNative),
  {
    file: 'openai/adapter.ts',
    decoder: () => openAiDecoder,
    steps: [
      { event: chat(FIRST), booked: [GUESS, FIRST_TOKENS], estimated: true },
      // Servers such as vLLM can report the usage so far in every event.
      { event: chat(SECOND, told(300, 70, 256)), booked: [300, 70, 256], estimated: false },
      { event: chat(FIRST), booked: [300, 70 + FIRST_TOKENS, 256], estimated: true },
      { event: FINISH, booked: [300, 70 + FIRST_TOKENS, 256], estimated: true },
      { event: chat(undefined, told(300, 90, 256)), booked: [300, 90, 256], estimated: false },
      { event: '[DONE]', booked: [300, 90, 256], estimated: false },
    ],
  },
  {
    file: 'openai/adapter.ts',
    decoder: () => completionsUpstream({} as never).decoder(),
    steps: [
      { event: { choices: [{ index: 0, text: FIRST }] }, booked: [GUESS, FIRST_TOKENS], estimated: true },
      {
        event: { choices: [{ index: 0, text: SECOND, finish_reason: 'stop' }] },
        booked: [GUESS, BOTH],
        estimated: true,
      },
      { event: { choices: [], usage: told(40, 21) }, booked: [40, 21], estimated: false },
    ],
  },
  {
    file: 'openai/responses.ts',
    decoder: () => responsesUpstream.decoder(),
    steps: [
      {
        event: { type: 'response.created', response: response(null) },
        booked: [GUESS, 0],
        estimated: true,
      },
      {
        event: { type: 'response.in_progress', response: response({ input_tokens: 70, output_tokens: 0 }) },
        booked: [70, 0],
        estimated: false,
      },
      {
        event: { type: 'response.output_text.delta', output_index: 0, delta: FIRST },
        booked: [70, FIRST_TOKENS],
        estimated: true,
      },
      {
        event: { type: 'response.failed', response: response({ input_tokens: 71, output_tokens: 55 }) },
        booked: [71, 55],
        estimated: false,
      },
    ],
  },
  {
    file: 'openai/audio.ts',
    decoder: () => AUDIO_EVENTS.decoder,
    steps: [
      {
        event: { type: 'transcript.text.delta', delta: FIRST },
        booked: [GUESS, FIRST_TOKENS],
        estimated: true,
      },
      {
        event: { type: 'transcript.text.done', text: FIRST, usage: { input_tokens: 14, output_tokens: 9 } },
        booked: [14, 9],
        estimated: false,
      },
    ],
  },
  {
    file: 'bedrock/answer.ts',
    decoder: converseDecoder,
    steps: [
      { name: 'messageStart', event: { role: 'assistant' }, booked: [GUESS, 0], estimated: true },
      {
        name: 'contentBlockDelta',
        event: { contentBlockIndex: 0, delta: { text: FIRST } },
        booked: [GUESS, FIRST_TOKENS],
        estimated: true,
      },
      {
        name: 'messageStop',
        event: { stopReason: 'end_turn' },
        booked: [GUESS, FIRST_TOKENS],
        estimated: true,
      },
      {
        name: 'metadata',
        event: { usage: { inputTokens: 33, outputTokens: 12 } },
        booked: [33, 12],
        estimated: false,
      },
    ],
  },
];
