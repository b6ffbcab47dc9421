import { openLogLines } from '#platform/log-lines.ts';
import type { Logger } from '../log.ts';
import { untilStopped } from './signals.ts';
import { untilStdinCloses } from './stdin-end.ts';
import { watchDescriptors } from './descriptor-watch.ts';
import { startWatchdog, type WatchdogOptions } from './watchdog/watchdog.ts';

/** A listening server. */
interface RunningServer {
  readonly log: Logger;
  /** The banner for users, printed on stderr. */
  readonly banner: string;
  /** The log line for programs, written when the server starts listening. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
  /** Called on SIGHUP. The function itself must log any failure. */
  readonly reload?: () => void;
  readonly watchdog: WatchdogOptions;
  /** Resolves with the reason when the server cannot continue. */
  readonly failed?: Promise<string>;
  /** Finishes accepted requests and closes everything. */
  readonly stop: () => Promise<void>;
}

export interface RunServerOptions {
  /** Starts the server; `write` receives the lines of its log. */
  readonly start: (write: (line: string) => void) => Promise<RunningServer>;
  /** Opens a log destination other than stderr. It receives stderr for its own errors. */
  readonly openLog?: (stderr: Pick<LogSink, 'write'>) => Promise<LogSink>;
  /** Whether SIGHUP reloads the configuration. If not, SIGHUP stops the server. */
  readonly reloads: boolean;
  /** Whether the server also stops when stdin is closed. */
  readonly stopsWithStdin?: boolean | undefined;
}

/**
 * Runs a server process: starts it, prints the banner, waits for a signal, a failure or the end
 * of stdin, and stops it. Returns the exit code. A second signal terminates the process immediately.
 */
export async function runServer(options: RunServerOptions): Promise<number> {
  const { start, openLog, reloads, stopsWithStdin = false } = options;
  let server: RunningServer | undefined;
  let sink: LogSink | undefined;
  const watches: (() => void)[] = [];
  const onReload = (): void => {
    sink?.reopen();
    server?.reload?.();
  };
  const { stopped, forget } = untilStopped(reloads ? { onReload } : {});
  const stderr = openLogLines(process.stderr);
  const stdin = stopsWithStdin ? untilStdinCloses() : undefined;
  try {
    sink = await openLog?.(stderr);
    server = await start(sink?.write ?? stderr.write);
    const { log, banner, facts, warnings = [], failed } = server;
    stderr.write(banner);
    log.info(facts, 'serving');
    for (const warning of warnings) log.warn(warning);
    watches.push(startWatchdog(server.watchdog), watchDescriptors(log));
    const cause = await Promise.race([
      stopped.then((signal) => ({ signal })),
      ...(stdin ? [stdin.closed.then(() => ({ stdin: 'closed' }))] : []),
      ...(failed ? [failed.then((reason) => ({ reason }))] : []),
    ]);
    if ('reason' in cause) log.fatal(`stopping: ${cause.reason}`);
    else log.info(cause, 'stopping: finishing accepted requests');
    await server.stop();
    log.info('stopped');
    return 'reason' in cause ? 1 : 0;
  } finally {
    for (const stopWatching of watches) stopWatching();
    await sink?.close();
    await stderr.flushed();
    stdin?.forget();
    forget();
  }
}

/** The destination of a log. */
export interface LogSink {
  /** Writes a line that includes its line break. */
  readonly write: (line: string) => void;
  /** Opens a new file after the old file has been renamed. */
  readonly reopen: () => void;
  readonly close: () => Promise<void>;
}
