const CHARACTERS_AT_ONCE = 65_536;

/** A text as it is made: however long it is, little of it is in memory. */
export function textBody(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const reader = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let text = '';
      while (text.length < CHARACTERS_AT_ONCE) {
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
