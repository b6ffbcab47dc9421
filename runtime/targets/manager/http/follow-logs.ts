import type { LogLine, ServerLogs } from '../supervisor/managed-server.ts';
import { logLineView } from './views/server-view.ts';

export interface FollowOptions {
  /** Number of existing lines to send first. */
  readonly lines: number;
  /** Time after which an empty line is sent, so that proxies do not close an idle connection. */
  readonly keepAliveMs: number;
  /** Checked before each line; the stream ends when it returns false. */
  readonly canRead: () => boolean;
  /** Ends the stream when it is aborted. */
  readonly signal: AbortSignal;
  /** The form of the stream: a JSON object per line, or server-sent events. */
  readonly format?: LogFormat | undefined;
  /** Called when the stream has ended, also by its reader. */
  readonly onEnd?: (() => void) | undefined;
}

type LogFormat = 'ndjson' | 'events';

/** How a line is written, and what keeps the connection open. */
const FORMATS: Record<
  LogFormat,
  { readonly before: string; readonly after: string; readonly keepAlive: string }
> = {
  ndjson: { before: '', after: '\n', keepAlive: '\n' },
  events: { before: 'data: ', after: '\n\n', keepAlive: ':\n\n' },
};

/** Maximum number of lines that are buffered for a slow reader; further lines are skipped. */
const MAX_BUFFERED = 1000;

/** Streams new lines of a log. */
export function followLogs(logs: ServerLogs, options: FollowOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const { before, after, keepAlive: silence } = FORMATS[options.format ?? 'ndjson'];
  let stop = (): void => undefined;

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let skipped = 0;
        const write = (line: LogLine): void =>
          controller.enqueue(encoder.encode(before + JSON.stringify(logLineView(line)) + after));
        const keepAlive = setInterval(() => {
          if (options.canRead()) controller.enqueue(encoder.encode(silence));
          else end();
        }, options.keepAliveMs);
        const onLine = (line: LogLine): void => {
          if (!options.canRead()) {
            end();
            return;
          }
          if ((controller.desiredSize ?? 0) <= 0) {
            skipped += 1;
            return;
          }
          if (skipped > 0) write(gap(line.at, skipped));
          skipped = 0;
          write(line);
          keepAlive.refresh();
        };
        const unfollow = logs.follow(onLine);
        const end = (): void => {
          stop();
          controller.close();
        };
        stop = () => {
          clearInterval(keepAlive);
          unfollow();
          options.signal.removeEventListener('abort', end);
          options.onEnd?.();
        };
        logs.last(options.lines).forEach(write);
        options.signal.addEventListener('abort', end, { once: true });
        if (options.signal.aborted) end();
      },
      cancel() {
        stop();
      },
    },
    { highWaterMark: MAX_BUFFERED },
  );
}

const gap = (at: number, count: number): LogLine => ({
  at,
  source: 'manager',
  text: `${count} lines were skipped: the client reads too slowly.`,
});
