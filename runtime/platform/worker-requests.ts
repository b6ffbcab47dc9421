import { Worker, parentPort, type WorkerOptions, workerData } from 'node:worker_threads';
import { AppError, messageOf } from '#contract/errors.ts';
import { OpenItems } from '#core/limits/open-items.ts';
import { workerAsset } from '#contract/native.ts';
import { type ExitGate, passGate } from './exit-gate.ts';
import { isExecutable, isPackage, packageFile, seaAssets } from './program-form.ts';

/** Messages to and from a worker thread: every request has one reply or one error. */
interface WorkerRequest<Request> {
  readonly id: number;
  readonly request: Request;
}
type WorkerReply =
  | { readonly id: number; readonly reply: unknown }
  | { readonly id: number; readonly error: string };

/** The calling side of a worker thread, which keeps the process running only while it has requests. */
export interface WorkerClient<Request> {
  /** Sends a request. Rejects with an InternalError: the worker's error, or its exit. */
  readonly ask: (request: Request) => Promise<unknown>;
  readonly alive: () => boolean;
  /** Resolves with the reason if the thread exits unexpectedly. */
  readonly died: Promise<AppError>;
  /** Resolves when the thread has ended for any reason, and its memory is freed. */
  readonly ended: Promise<void>;
  /** Terminates the thread immediately; it must not be running native code. */
  readonly kill: () => void;
  /** Waits until the thread runs no native code (terminating it there would abort the process), then lets it exit. */
  readonly close: () => Promise<void>;
}

export function connectWorker<Request>(worker: Worker): WorkerClient<Request> {
  const waiting = new OpenItems<number, PromiseWithResolvers<unknown>>();
  const died = Promise.withResolvers<AppError>();
  const ended = Promise.withResolvers<void>();
  let dead: AppError | undefined;
  let closing = false;
  let nextId = 0;

  worker.unref();
  const settle = (id: number): PromiseWithResolvers<unknown> | undefined => {
    const promise = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    return promise;
  };
  const end = (error: AppError): void => {
    if (dead) return;
    dead = error;
    for (const id of waiting.keys()) settle(id)?.reject(error);
    if (!closing) died.resolve(error);
  };
  worker.on('message', (message: WorkerReply) => {
    const promise = settle(message.id);
    if ('error' in message) promise?.reject(new AppError('InternalError', message.error));
    else promise?.resolve(message.reply);
  });
  worker.on('error', (error) => end(AppError.from(error)));
  worker.on('exit', () => {
    end(new AppError('InternalError', 'A worker thread exited.'));
    ended.resolve();
  });

  return {
    alive: () => dead === undefined,
    died: died.promise,
    ended: ended.promise,
    async ask(request) {
      if (dead) throw dead;
      const id = nextId++;
      const promise = Promise.withResolvers<unknown>();
      if (waiting.size === 0) worker.ref();
      waiting.set(id, promise);
      worker.postMessage({ id, request } satisfies WorkerRequest<Request>);
      return await promise.promise;
    },
    kill: () => void worker.terminate(),
    async close() {
      closing = true;
      await Promise.allSettled(waiting.values().map(({ promise }) => promise));
      // Do not wait for termination, which takes several milliseconds. The thread keeps the process running until then,
      // because native libraries can crash if the process exits while they release their memory in several threads.
      worker.ref();
      void worker.terminate();
    },
  };
}

export interface Answer {
  readonly reply: unknown;
  /** Memory to transfer to the other thread without copying. */
  readonly transfer?: ArrayBuffer[];
}

/** Handlers of a worker by kind of request. */
type Handlers = Readonly<Record<string, (request: never) => Answer | Promise<Answer>>>;

/**
 * The worker's side: requests are handled sequentially, in order of arrival. The `gate` in the worker's data delays
 * the exit of the process until a request is done.
 */
export function serveWorker(handlers: Handlers): void {
  const port = parentPort;
  if (!port) throw new Error('a worker entry must run in a worker thread');
  const post = (message: WorkerReply, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(message, transfer);
  const { gate } = (workerData ?? {}) as { readonly gate?: ExitGate };
  let before = Promise.resolve();
  port.on('message', ({ id, request }: WorkerRequest<{ readonly kind: string }>) => {
    const handle = handlers[request.kind] as ((request: unknown) => Answer | Promise<Answer>) | undefined;
    if (!handle) throw new Error(`no handler for ${request.kind}`);
    before = before
      .then(() => (gate ? passGate(gate, async () => await handle(request)) : handle(request)))
      .then(
        ({ reply, transfer }) => post({ id, reply }, transfer),
        (error: unknown) => post({ id, error: messageOf(error) }),
      );
  });
}

/**
 * Starts a worker thread from the executable's asset `name`, from the file of this name in the npm package,
 * or from its source file.
 */
export function spawnWorker(name: string, source: URL, options: WorkerOptions = {}): Worker {
  // The flags of the program that uses the package can be invalid for a thread.
  if (isPackage()) return new Worker(packageFile(`${name}.cjs`), { ...options, execArgv: [] });
  return isExecutable()
    ? new Worker(seaAssets().getAsset(workerAsset(name), 'utf8'), {
        ...options,
        eval: true,
        execArgv: COMMON_JS,
      })
    : new Worker(source, options);
}

/** Otherwise, Node compiles the code twice, because it first checks whether it is a module. */
const COMMON_JS = ['--input-type=commonjs'];
