import type { Context } from 'hono';

const LINES_AT_ONCE = 500;

/** Answers with lines as they come: however many there are, few of them are in memory. */
export function csvAnswer(c: Context, lines: AsyncIterable<string>, file: string): Response {
  const reader = lines[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      let text = '';
      for (let line = 0; line < LINES_AT_ONCE; line += 1) {
        const { done = false, value } = await reader.next();
        if (done) {
          if (text !== '') controller.enqueue(encoder.encode(text));
          controller.close();
          return;
        }
        text += value;
      }
      controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      await reader.return?.();
    },
  });
  return c.body(body, 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${file}"`,
  });
}
