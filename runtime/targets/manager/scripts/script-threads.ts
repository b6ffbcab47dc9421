import type { Worker } from 'node:worker_threads';
import { AppError } from '#contract/errors.ts';
import { OpenItems } from '#core/limits/open-items.ts';
import { type LuaWasmFile, openLuaWasm } from '#platform/lua-wasm.ts';
import { spawnWorker } from '#platform/worker-requests.ts';
import type { ScriptEnd, ToolReply, ToolRequest } from '#transform/tool-script/tool-script.ts';
import type { FromThread, ScriptJob, ThreadData, ToThread } from './thread-messages.ts';

/** A script in a thread. */
export interface RunningThread {
  /** Resolves with the outcome. Rejects if the thread ends, with the reason that was passed to `kill`. */
  readonly ended: Promise<ScriptEnd>;
  readonly reply: (id: number, reply: ToolReply) => void;
  /** Ends the thread immediately. */
  readonly kill: (reason: AppError) => void;
}

/** The threads that run scripts. They start with the first script, and end when they are not used. */
export interface ScriptThreads {
  readonly run: (job: ScriptJob, onCall: (request: ToolRequest) => void) => RunningThread;
  readonly close: () => Promise<void>;
}

/** Number of threads that are kept for the next scripts, and for how long. */
const MAX_IDLE = 2;
const IDLE_MS = 60_000;
/** Maximum memory of a thread in addition to the memory of Lua. It holds the results of calls as JSON. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

interface Thread {
  readonly worker: Worker;
  readonly id: number;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

interface Job {
  readonly ended: PromiseWithResolvers<ScriptEnd>;
  readonly onCall: (request: ToolRequest) => void;
  reason: AppError | undefined;
}

export function createScriptThreads(): ScriptThreads {
  const all = new OpenItems<number, Thread>();
  // Extracted once by this thread, because a thread that is terminated cannot remove its files.
  let lua: LuaWasmFile | undefined;
  const idle: Thread[] = [];

  const remove = (thread: Thread): void => {
    clearTimeout(thread.timer);
    all.delete(thread.id);
    const at = idle.indexOf(thread);
    if (at !== -1) idle.splice(at, 1);
  };
  const release = (thread: Thread): void => {
    thread.job = undefined;
    if (idle.length >= MAX_IDLE) return void thread.worker.terminate();
    // An idle thread does not keep the process running.
    thread.worker.unref();
    const end = (): void => {
      remove(thread);
      void thread.worker.terminate();
    };
    thread.timer = setTimeout(end, IDLE_MS).unref();
    idle.push(thread);
  };
  const receive = (thread: Thread, message: FromThread): void => {
    const { job } = thread;
    if (!job || job.reason) return;
    if (message.kind === 'call') return job.onCall(message.request);
    job.ended.resolve(message.end);
    // After a limit, the memory of the thread can be damaged or large.
    if ('isLimit' in message.end && message.end.isLimit) void thread.worker.terminate();
    else release(thread);
  };
  const start = (): Thread => {
    lua ??= openLuaWasm();
    const worker = spawnWorker('script', new URL('./script-worker.ts', import.meta.url), {
      name: 'script',
      workerData: { lua: lua.path() } satisfies ThreadData,
      resourceLimits: RESOURCE_LIMITS,
    });
    // The worker has no ID of its own any more when it has ended.
    const thread: Thread = { worker, id: worker.threadId, job: undefined, timer: undefined };
    all.set(thread.id, thread);
    worker.on('message', (message: FromThread) => receive(thread, message));
    worker.on('error', (error: Error & { code?: string }) => {
      const { job: own } = thread;
      if (!own) return;
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        own.ended.resolve({ error: 'it exceeded its memory limit', isLimit: true });
      else own.reason ??= AppError.from(error);
    });
    worker.on('exit', () => {
      remove(thread);
      thread.job?.ended.reject(
        thread.job.reason ?? new AppError('InternalError', 'The script’s thread ended.'),
      );
    });
    return thread;
  };
  const take = (): Thread => {
    // Restores the file if it was removed from the temporary folder since the thread was started.
    lua?.path();
    const thread = idle.pop() ?? start();
    clearTimeout(thread.timer);
    thread.worker.ref();
    return thread;
  };

  return {
    run(job, onCall) {
      const thread = take();
      const own: Job = { ended: Promise.withResolvers(), onCall, reason: undefined };
      thread.job = own;
      const post = (message: ToThread): void => thread.worker.postMessage(message);
      post({ kind: 'run', job });
      return {
        ended: own.ended.promise,
        reply: (id, reply) => {
          if (thread.job === own) post({ kind: 'reply', id, reply });
        },
        kill(reason) {
          if (thread.job !== own || own.reason) return;
          own.reason = reason;
          own.ended.reject(reason);
          void thread.worker.terminate();
        },
      };
    },
    async close() {
      await Promise.all(all.values().map(({ worker }) => worker.terminate()));
      lua?.remove();
      lua = undefined;
    },
  };
}
