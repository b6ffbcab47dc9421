const CHUNK_LENGTH = 65_536;

/** Streams a text while it is generated, so that a long text does not have to fit in memory. */
export function textBody(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const reader = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let text = '';
      while (text.length < CHUNK_LENGTH) {
        const { done, value } = await reader.next();
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
      await reader.return?.();
    },
  });
}
