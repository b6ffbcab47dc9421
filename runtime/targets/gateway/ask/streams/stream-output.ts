import type { EventEncoder, StreamWords } from './stream.ts';
import type { DecodedFrame } from './upstream-reader.ts';

/** What goes out for what came in. */
export interface StreamOutput {
  bytes(frames: readonly DecodedFrame[]): Uint8Array;
  /** What is left to say at a clean end: `last` before the accounts are settled, `terminal` after. */
  end(): { readonly last: Uint8Array; readonly terminal: Uint8Array };
}

export interface UnchangedOptions {
  /** Events that the client did not ask for. */
  readonly hidden?: ((frame: DecodedFrame) => boolean) | undefined;
  /** Another event in its place. */
  readonly rewrite?: ((bytes: Buffer) => Buffer) | undefined;
}

/** The provider's bytes, unless an event is hidden or rewritten. */
export function unchangedOutput(words: StreamWords, { hidden, rewrite }: UnchangedOptions): StreamOutput {
  let terminal: Uint8Array = Buffer.from(words.terminal);
  return {
    bytes(frames) {
      const kept = frames.filter((frame) => {
        if (frame.step.kind === 'end') terminal = rewrite ? rewrite(frame.bytes) : frame.bytes;
        return frame.step.kind !== 'end' && !hidden?.(frame);
      });
      if (rewrite) return Buffer.concat(kept.map(({ bytes }) => withEmptyLine(rewrite(bytes))));
      return joined(kept.map(({ bytes }) => withEmptyLine(bytes)));
    },
    end: () => ({ last: NO_BYTES, terminal: withEmptyLine(terminal) }),
  };
}

/** The provider's chunks in the words of another wire. */
export function encodedOutput(encoder: EventEncoder): StreamOutput {
  return {
    bytes(frames) {
      const chunks = frames.flatMap(({ step }) => ('chunks' in step ? (step.chunks ?? []) : []));
      return chunks.length === 0 ? NO_BYTES : Buffer.from(encoder.encode(chunks));
    },
    end() {
      const { last, terminal } = encoder.end();
      return { last: Buffer.from(last), terminal: Buffer.from(terminal) };
    },
  };
}

const NO_BYTES = new Uint8Array();

/** The last event of a stream may lack the empty line, and something may come after it now. */
function withEmptyLine(bytes: Uint8Array): Uint8Array {
  const last = bytes.at(-1);
  if (last === undefined) return bytes;
  const isOver = (last === 0x0a || last === 0x0d) && (bytes.length === 1 || endsTwice(bytes));
  return isOver ? bytes : Buffer.concat([bytes, Buffer.from('\n\n')]);
}

function endsTwice(bytes: Uint8Array): boolean {
  const [before, last] = bytes.subarray(-2);
  if (before === 0x0d && last === 0x0a) return bytes.at(-3) === 0x0a || bytes.at(-3) === 0x0d;
  return before === 0x0a || before === 0x0d;
}

/** Events that lie behind each other already need no copy. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  const last = parts.at(-1);
  if (!first || !last) return NO_BYTES;
  if (parts.length === 1) return first;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const areNeighbours =
    first.buffer === last.buffer && last.byteOffset + last.length - first.byteOffset === length;
  return areNeighbours
    ? new Uint8Array(first.buffer, first.byteOffset, length)
    : Buffer.concat(parts, length);
}
