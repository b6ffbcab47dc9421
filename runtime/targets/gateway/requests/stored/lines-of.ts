import type { ForwardedStream } from '../../providers/streams/stream.ts';

/** The lines of a text that arrives in pieces. Throws if it is incomplete. */
export async function* linesOf(pieces: ForwardedStream): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let isCut = false;
  void pieces.unread.then(() => (isCut = true));
  let rest = '';
  for (;;) {
    const { done, value } = await pieces.next();
    if (isCut) throw new Error('The file was not read to its end.');
    if (done === true) break;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
