import { setTimeout as sleep } from 'node:timers/promises';
import { parseMessages, type RpcMessage } from '../rpc-message.ts';
import { MAX_LOG_LINE } from '../transport.ts';
import { EventTooLong, isMessage, readEvents } from './read-events.ts';
import type { RemoteAnswer } from './remote-client.ts';

export interface FollowOptions {
  /** Asks for what comes after the event with this id. */
  readonly get: (lastEventId: string | undefined, signal: AbortSignal) => Promise<RemoteAnswer>;
  readonly take: (message: RpcMessage) => void;
  readonly signal: AbortSignal;
  /** The request whose answer is the end; without one it goes on until the signal. */
  readonly awaited?: number | undefined;
  readonly onLog: (line: string) => void;
}

/** Before a stream that ended is asked for again, unless the server says how long. */
const RESUME_MS = 1000;
/** A server should end the stream after the answer; one that does not is hung up on. */
const HANG_UP_MS = 1000;

/** Reads a stream, and when it ends without the answer, the streams that continue it. */
export async function followStream(first: RemoteAnswer, options: FollowOptions): Promise<void> {
  const { get, take, signal, awaited, onLog } = options;
  let lastEventId: string | undefined;
  let resumeMs = RESUME_MS;
  let hangUp: NodeJS.Timeout | undefined;

  for (let answer = first; ; answer = await get(lastEventId, signal)) {
    try {
      for await (const event of readEvents(answer.body)) {
        lastEventId = event.id ?? lastEventId;
        resumeMs = event.retryMs ?? resumeMs;
        if (!isMessage(event)) continue;
        const messages = parseMessages(event.data);
        if (!messages) onLog(`stream: ${event.data.slice(0, MAX_LOG_LINE)}`);
        for (const message of messages ?? []) {
          take(message);
          if (message.method !== undefined || message.id !== awaited) continue;
          // Reading on to the end keeps the connection for the next request.
          hangUp ??= setTimeout(() => answer.body.destroy(), HANG_UP_MS);
        }
      }
    } catch (error) {
      if (signal.aborted || error instanceof EventTooLong) throw error;
      // It broke off, which is an end like any other.
    } finally {
      clearTimeout(hangUp);
    }
    const canResume = awaited === undefined || lastEventId !== undefined;
    if (hangUp !== undefined || !canResume) return;
    await sleep(resumeMs, undefined, { signal });
  }
}
