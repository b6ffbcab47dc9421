import type { Duplex } from 'node:stream';
import { createFrameReader, createTextJoiner, type Frame, OPCODE } from './frames.ts';
import { pushAll } from '#core/values/push-all.ts';

interface ForwardRules {
  readonly maxFrameBytes: number;
  readonly onBroken: () => void;
  /** Returns whether a message is forwarded; later messages wait for a promise. The text of a binary message is undefined. */
  readonly onMessage: (text: string | undefined) => boolean | Promise<boolean>;
}

/** Forwards frames, the parts of one message together, at the speed of the reader. */
export function forwardFrames(
  from: Duplex,
  to: Duplex,
  { maxFrameBytes, onBroken, onMessage }: ForwardRules,
): void {
  const reader = createFrameReader(maxFrameBytes);
  const join = createTextJoiner();
  let message: Frame[] = [];
  let messageBytes = 0;
  let waiting: Frame[] = [];
  let isWaiting = false;

  const end = (isForwarded: boolean): void => {
    if (isForwarded) for (const { bytes } of message) to.write(bytes);
    message = [];
    messageBytes = 0;
  };
  /** Returns the promise that later frames wait for. */
  const take = (frame: Frame): Promise<boolean> | undefined => {
    if (frame.opcode >= OPCODE.close) {
      to.write(frame.bytes);
      return undefined;
    }
    message.push(frame);
    messageBytes += frame.bytes.length;
    if (messageBytes > maxFrameBytes) throw new Error('The message is too large.');
    const text = join(frame);
    if (!frame.isLast) return undefined;
    const verdict = onMessage(text);
    if (typeof verdict !== 'boolean') return verdict;
    end(verdict);
    return undefined;
  };
  const wait = async (verdict: Promise<boolean>): Promise<void> => {
    isWaiting = true;
    from.pause();
    end(await verdict);
    isWaiting = false;
    run([]);
  };
  const run = (frames: readonly Frame[]): void => {
    pushAll(waiting, frames);
    if (isWaiting) return;
    try {
      for (let frame = waiting.shift(); frame; frame = waiting.shift()) {
        const verdict = take(frame);
        if (verdict) return void wait(verdict);
      }
    } catch {
      waiting = [];
      onBroken();
      return;
    }
    if (!to.writableNeedDrain) from.resume();
    else {
      from.pause();
      to.once('drain', () => from.resume());
    }
  };
  from.on('data', (chunk: Buffer) => {
    try {
      run(reader.push(chunk));
    } catch {
      onBroken();
    }
  });
}
