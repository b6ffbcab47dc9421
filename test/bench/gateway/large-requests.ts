import { FLOOD } from './messages.ts';

/** Requests that take the gateway a long time to process, and their concurrency. */
export interface LargeLoad {
  readonly name: string;
  readonly concurrency: number;
  /** The JSON body of each request. */
  readonly body: () => string;
}

const IMAGE_BYTES = 5 * 1024 * 1024;
const MESSAGES = 2000;
const MODEL = 'large:chat';

const image = (): object => {
  const bytes = Buffer.alloc(IMAGE_BYTES, 'pixels of an image');
  // The header of a PNG file with 2048 by 2048 pixels.
  Buffer.from('89504e470d0a1a0a0000000d49484452000008000000080008060000', 'hex').copy(bytes);
  return { type: 'image_url', image_url: { url: `data:image/png;base64,${bytes.toString('base64')}` } };
};

const withImages = (count: number) => (): string =>
  JSON.stringify({
    model: MODEL,
    max_tokens: 64,
    messages: [
      {
        role: 'user',
        content: [{ type: 'text', text: 'What is this?' }, ...Array.from({ length: count }, image)],
      },
    ],
  });

const conversation = (messages: number) => (): string =>
  JSON.stringify({
    model: MODEL,
    max_tokens: 64,
    messages: Array.from({ length: messages }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `Message ${at} of a long conversation, which has a few sentences. `.repeat(4),
    })),
  });

export const LARGE_LOADS: readonly LargeLoad[] = [
  { name: 'four 5 MB images in one request', concurrency: 1, body: withImages(4) },
  { name: 'four requests with a 5 MB image', concurrency: 4, body: withImages(1) },
  { name: 'a 5 MB image', concurrency: 1, body: withImages(1) },
  { name: `${MESSAGES} messages`, concurrency: 1, body: conversation(MESSAGES) },
  { name: 'ten requests with 1 MB of messages', concurrency: 10, body: conversation(2 * MESSAGES) },
  {
    name: `a stream of ${FLOOD.events} events`,
    concurrency: 1,
    body: () =>
      JSON.stringify({
        model: `large:${FLOOD.model}`,
        stream: true,
        messages: [{ role: 'user', content: 'Write a book.' }],
      }),
  },
];
