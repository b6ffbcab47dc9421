import { AppError, inputError } from '#contract/errors.ts';
import { spawnWorker, connectWorker } from './worker-requests.ts';

/**
 * Code that parses untrusted data in a separate thread, where it can neither block the event loop
 * nor exhaust the memory.
 */
export interface Parser {
  /** Name of the thread's program in an executable. */
  readonly name: string;
  /** Its entry file, which calls `serveWorker`. */
  readonly source: URL;
  /** What it parses, for messages. */
  readonly subject: string;
  /** JavaScript memory limit, in megabytes. */
  readonly heapMb: number;
  /** Maximum time of one request. */
  readonly seconds: number;
  /** Maximum total time of all requests. */
  readonly totalSeconds: number;
}

export interface ParserThread<Request> {
  /**
   * Rejects with an InputError: the parser's message, or the limit that was reached. In either case
   * the thread has ended.
   */
  readonly ask: (request: Request) => Promise<unknown>;
  readonly end: () => void;
}

/**
 * Starts a parser. Its code must check sizes before it allocates: one allocation above the limit
 * ends the process.
 */
export function startParser<Request extends { readonly kind: string }>(
  parser: Parser,
): ParserThread<Request> {
  const { name, source, subject, heapMb, seconds, totalSeconds } = parser;
  const worker = spawnWorker(name, source, {
    name,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
  });
  const { ask, kill } = connectWorker<Request>(worker);
  let reason: AppError | undefined;
  let left = totalSeconds;
  worker.on('error', (error: Error & { code?: string }) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      reason ??= inputError(`${subject} requires more than ${heapMb} MB of memory.`, error);
  });
  return {
    async ask(request) {
      const limit = Math.min(seconds, left);
      const since = performance.now();
      const timer = setTimeout(() => {
        reason ??= inputError(`${subject} takes more than ${limit === seconds ? seconds : totalSeconds} s.`);
        kill();
      }, limit * 1000);
      try {
        return await ask(request);
      } catch (error) {
        throw reason ?? inputError(AppError.from(error).message, error);
      } finally {
        clearTimeout(timer);
        left -= (performance.now() - since) / 1000;
      }
    },
    end: kill,
  };
}

const MAX_YOUNG_MB = 64;
