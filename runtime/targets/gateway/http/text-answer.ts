import type { Context } from 'hono';

const CHARACTERS_AT_ONCE = 65_536;

export interface TextAnswer {
  readonly mediaType: string;
  readonly filename: string;
}

/** Answers with a text as it is made: however long it is, little of it is in memory. */
export function textAnswer(
  c: Context,
  pieces: AsyncGenerator<string, void>,
  { mediaType, filename }: TextAnswer,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      let text = '';
      while (text.length < CHARACTERS_AT_ONCE) {
        const { done, value } = await pieces.next();
        if (done !== true) {
          text += value;
          continue;
        }
        if (text !== '') controller.enqueue(encoder.encode(text));
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      await pieces.return();
    },
  });
  return c.body(body, 200, {
    'Content-Type': mediaType,
    'Content-Disposition': `attachment; filename="${filename.replaceAll(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(filename)}`,
  });
}
