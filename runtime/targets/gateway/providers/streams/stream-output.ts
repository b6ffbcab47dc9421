import type { EventEncoder, StreamSyntax } from './stream.ts';
import type { DecodedFrame, UpstreamReader } from './upstream-reader.ts';
import type { Clock } from '#platform/clock.ts';
import { talliedText, type Tally } from './tally.ts';

/** The bytes for the client, from the frames of the provider. */
export interface StreamOutput {
  bytes(frames: readonly DecodedFrame[]): Uint8Array;
  /** The bytes for a clean end: `last` is sent before the usage is settled, `terminal` after it. */
  end(): { readonly last: Uint8Array; readonly terminal: Uint8Array };
}

interface UnchangedOptions {
  /** Matches events that are not sent, because the client did not ask for them. */
  readonly hidden?: ((frame: DecodedFrame) => boolean) | undefined;
  /** Replaces an event. */
  readonly rewrite?: ((bytes: Buffer) => Buffer) | undefined;
}

/** Forwards the provider's bytes, except events that are hidden or rewritten. */
export function unchangedOutput(syntax: StreamSyntax, { hidden, rewrite }: UnchangedOptions): StreamOutput {
  let terminal: Uint8Array = Buffer.from(syntax.terminal);
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

/** Writes the provider's chunks in the format of another API. */
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

/** Adds the empty line that ends an event. The last event of a provider's stream can lack it, and more events can follow here. */
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

/** Joins byte arrays, without a copy if they are adjacent in the same buffer. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  const last = parts.at(-1);
  if (!first || !last) return NO_BYTES;
  if (parts.length === 1) return first;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const areAdjacent =
    first.buffer === last.buffer && last.byteOffset + last.length - first.byteOffset === length;
  return areAdjacent ? new Uint8Array(first.buffer, first.byteOffset, length) : Buffer.concat(parts, length);
}

/** Everything that is needed to forward a stream. */
export interface StreamParts {
  readonly reader: UpstreamReader;
  readonly output: StreamOutput;
  readonly syntax: StreamSyntax;
  readonly clock: Clock;
  /** Time at which the request was sent. */
  readonly startedAt: number;
  /** Maximum time that the provider can send nothing before its first output. */
  readonly maxSilentMs: number;
  /** Called when the provider has sent its first event. */
  readonly onHeard: () => void;
  /** Maximum time for the whole answer, counted from its first event. */
  readonly maxMs: number;
  /** Aborted when the client disconnects, which also ends the call of the provider. An AppError as the reason is sent to the client. */
  readonly signal: AbortSignal;
}

/** Reads the next frames. If the stream breaks after every choice has finished, it only lacks the usage and counts as ended. */
export async function nextFrames(
  reader: UpstreamReader,
  tally: Tally,
): Promise<readonly DecodedFrame[] | undefined> {
  try {
    return await reader.next();
  } catch (error) {
    if (tally.complete()) return undefined;
    throw error;
  }
}

/** Adds events up to the first error to a tally. Returns their text if `wantsText` is true. */
export function countFrames(frames: readonly DecodedFrame[], tally: Tally, wantsText: boolean): string {
  let text = '';
  for (const { step } of frames) {
    if ('chunks' in step)
      for (const chunk of step.chunks ?? []) {
        tally.add(chunk);
        if (wantsText) text += talliedText(chunk);
      }
    if (step.usageSoFar !== undefined) tally.report(step.usageSoFar);
    if (step.kind === 'error') break;
  }
  return text;
}
