/** What a request contains in addition to a question. */
export interface RequestContent {
  readonly stream?: boolean | undefined;
  /** Length of the conversation before the question in bytes. Default: none. */
  readonly conversation?: number | undefined;
  /** Distinguishes the question from those of other requests. */
  readonly number?: number | undefined;
}

/**
 * The request for every contestant: as small as possible, so that the measurement shows the overhead of the
 * intermediate process, or the conversation of an agent, which sends it again with each new question.
 */
export const chatRequest = (
  model: string,
  { stream = false, conversation = 0, number = 0 }: RequestContent,
): string =>
  JSON.stringify({
    model,
    ...(stream && { stream }),
    max_tokens: 64,
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      ...Array.from({ length: Math.round(conversation / TURN.length) }, (_, at) => ({
        role: at % 2 === 0 ? 'user' : 'assistant',
        content: `${at}: ${TURN}`,
      })),
      { role: 'user', content: `Say in one sentence what a gateway is${' again'.repeat(number)}.` },
    ],
  });

/** A message of a conversation, with 1,000 characters. */
const TURN = Array.from({ length: 40 }, (_, at) => `Line ${10 + at} of a file to read.`)
  .join('\n')
  .slice(0, 1000);

/** The model whose streams send one word and then nothing. */
export const IDLE = 'idle';

const about = { id: 'chatcmpl-bench', created: 1_760_000_000, model: 'chat' };
const usage = { prompt_tokens: 24, completion_tokens: 16, total_tokens: 40 };

export const ANSWER = JSON.stringify({
  ...about,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'A gateway is one door to many models, which knows who may pass and what it costs.',
        refusal: null,
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage,
});

const event = (json: object): string =>
  `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', ...json })}\n\n`;
const delta = (content: object, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: content, finish_reason: finish }] });

/** A stream: the data to send immediately, and the data after that. */
export const FIRST_EVENTS = delta({ role: 'assistant', content: '' }) + delta({ content: 'A' });
export const LATER_EVENTS =
  Array.from({ length: 14 }, (_, at) => delta({ content: ` word${at}` })).join('') +
  delta({}, 'stop') +
  event({ choices: [], usage }) +
  'data: [DONE]\n\n';

/** The model whose streams have this number of events. */
export const FLOOD = { model: 'flood', events: 100_000 } as const;

/** Events of a flood that are sent in one chunk. */
export const FLOOD_PIECE = { events: 100, text: delta({ content: ' word' }).repeat(100) } as const;
export const FLOOD_END = delta({}, 'stop') + event({ choices: [], usage }) + 'data: [DONE]\n\n';
