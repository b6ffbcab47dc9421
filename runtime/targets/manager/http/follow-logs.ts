import type { LogLine, ServerLogs } from '../supervisor/managed-server.ts';
import { logLineView } from './views/server-view.ts';

export interface FollowOptions {
  /** How many lines from before to begin with. */
  readonly lines: number;
  /** An empty line goes out after so long without another, so that nobody on the way takes the connection for dead. */
  readonly keepAliveMs: number;
  /** Asked before each line; once it is false, nothing more is told. */
  readonly mayRead: () => boolean;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Called when it has ended, also by its reader. */
  readonly onEnd?: (() => void) | undefined;
}

/** Lines that wait for a reader who is slower than the server writes; those beyond are left out. */
const MOST_WAITING = 1000;

/** The lines of a log as they come, one JSON object a line. */
export function followLogs(logs: ServerLogs, options: FollowOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop = (): void => undefined;

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let leftOut = 0;
        const write = (line: LogLine): void =>
          controller.enqueue(encoder.encode(`${JSON.stringify(logLineView(line))}\n`));
        const keepAlive = setInterval(() => {
          if (options.mayRead()) controller.enqueue(encoder.encode('\n'));
          else end();
        }, options.keepAliveMs);
        const take = (line: LogLine): void => {
          if (!options.mayRead()) {
            end();
            return;
          }
          if ((controller.desiredSize ?? 0) <= 0) {
            leftOut += 1;
            return;
          }
          if (leftOut > 0) write(gap(line.at, leftOut));
          leftOut = 0;
          write(line);
          keepAlive.refresh();
        };
        const unfollow = logs.follow(take);
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
    { highWaterMark: MOST_WAITING },
  );
}

const gap = (at: number, count: number): LogLine => ({
  at,
  source: 'manager',
  text: `${count} lines are left out here: they came faster than they were read.`,
});
