import { setTimeout as sleep } from 'node:timers/promises';
import { parseMessages, type RpcMessage } from '../rpc-message.ts';
import { ResultTooLarge } from '../result-limit.ts';
import { MAX_LOG_LINE } from '../transport.ts';
import { EventTooLong, isMessage, readEvents } from './read-events.ts';
import type { RemoteResponse } from './remote-client.ts';

export interface FollowOptions {
  /** Requests a stream of the events after the one with this ID. */
  readonly get: (lastEventId: string | undefined, signal: AbortSignal) => Promise<RemoteResponse>;
  readonly onMessage: (message: RpcMessage) => void;
  readonly signal: AbortSignal;
  /** The request whose response ends the stream; without one, it is followed until the signal is aborted. */
  readonly requestId?: number | undefined;
  /** Maximum size of a message on the stream of a request. */
  readonly maxCharacters?: number | undefined;
  readonly onLog: (line: string) => void;
}

/** Delay before a stream is resumed, unless the server specifies one. */
const RESUME_MS = 1000;
/** Time after the response until the stream is closed, if the server does not end it. */
const CLOSE_MS = 1000;

/** Reads a stream. If it ends without the response, it is resumed. */
export async function followStream(first: RemoteResponse, options: FollowOptions): Promise<void> {
  const { get, onMessage, signal, requestId, maxCharacters, onLog } = options;
  let lastEventId: string | undefined;
  let resumeMs = RESUME_MS;
  let closeTimer: NodeJS.Timeout | undefined;

  for (let response = first; ; response = await get(lastEventId, signal)) {
    try {
      for await (const event of readEvents(response.body, maxCharacters)) {
        lastEventId = event.id ?? lastEventId;
        resumeMs = event.retryMs ?? resumeMs;
        if (!isMessage(event)) continue;
        const messages = parseMessages(event.data);
        if (!messages) onLog(`stream: ${event.data.slice(0, MAX_LOG_LINE)}`);
        for (const message of messages ?? []) {
          onMessage(message);
          if (message.method !== undefined || message.id !== requestId) continue;
          // The rest of the stream is read, so that the connection can be reused.
          closeTimer ??= setTimeout(() => response.body.destroy(), CLOSE_MS);
        }
      }
    } catch (error) {
      if (signal.aborted || error instanceof EventTooLong || error instanceof ResultTooLarge) throw error;
      // A broken stream is treated like one that ended.
    } finally {
      clearTimeout(closeTimer);
    }
    const canResume = requestId === undefined || lastEventId !== undefined;
    if (closeTimer !== undefined || !canResume) return;
    await sleep(resumeMs, undefined, { signal });
  }
}
