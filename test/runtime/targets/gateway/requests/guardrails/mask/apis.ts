/** Streams of the client APIs, as a provider or the gateway writes them. */
export interface StreamedApi {
  /** Events with the chunks of a text, and the events around them. */
  readonly stream: (pieces: readonly string[]) => string;
  /** The text that a client assembles. */
  // oxlint-disable-next-line typescript/no-explicit-any -- it inspects events.
  readonly read: (event: any) => string;
  readonly isJson?: boolean;
}

export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** The JSON data of events. */
export const eventsIn = (text: string): Record<string, unknown>[] =>
  text
    .split('\n\n')
    .map((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? '')
    .filter((data) => data.startsWith('{'))
    .map((data) => JSON.parse(data) as Record<string, unknown>);

const DONE = event('[DONE]');
const chatEvents = (deltas: readonly object[]): string =>
  deltas
    .map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }))
    .map((data) => event(data))
    .join('') +
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
  DONE;
const argumentsOf = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });

export const APIS: Readonly<Record<string, StreamedApi>> = {
  chat: {
    stream: (pieces) => chatEvents(pieces.map((content) => ({ content }))),
    read: ({ choices }) => choices[0].delta.content ?? '',
  },
  'arguments of a tool': {
    stream: (pieces) => chatEvents(pieces.map(argumentsOf)),
    read: ({ choices }) => choices[0].delta.tool_calls?.[0].function.arguments ?? '',
    isJson: true,
  },
  messages: {
    stream: (pieces) =>
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
      pieces
        .map((text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }))
        .join(event({ type: 'ping' }, 'ping')) +
      event({ type: 'content_block_stop', index: 0 }) +
      event({ type: 'message_stop' }),
    read: ({ type, delta }) => (type === 'content_block_delta' ? delta.text : ''),
  },
  responses: {
    stream: (pieces) =>
      pieces
        .map((delta) => event({ type: 'response.output_text.delta', item_id: 'i', content_index: 0, delta }))
        .join('') + event({ type: 'response.output_text.done', item_id: 'i', text: pieces.join('') }),
    read: ({ type, delta }) => (type === 'response.output_text.delta' ? delta : ''),
  },
  gemini: {
    stream: (pieces) =>
      pieces
        .map((text) => event({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] }))
        .join('') + event({ usageMetadata: { totalTokenCount: 3 } }),
    read: ({ candidates }) => candidates?.[0].content.parts[0].text ?? '',
  },
  completions: {
    stream: (pieces) => pieces.map((text) => event({ choices: [{ index: 0, text }] })).join('') + DONE,
    read: ({ choices }) => choices[0].text,
  },
};
