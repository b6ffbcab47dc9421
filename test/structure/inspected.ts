import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly message?: string };
  readonly result?: { readonly result?: readonly Script[] };
}

interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

/** A program of this repository that runs from source, and reports which of its functions have run. */
export interface Inspected {
  /** The functions that have run since the last call, by file, in all threads. */
  readonly ran: () => Promise<ReadonlyMap<string, readonly string[]>>;
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

const START = { callCount: true, detailed: false };

/** Starts Node with the inspector, and counts calls in its main thread and its workers. */
export async function inspect(args: readonly string[], env: Record<string, string> = {}): Promise<Inspected> {
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  const url = await until(() => /ws:\/\/\S+/.exec(output)?.[0], child);
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const thread = openThread((text) => socket.send(text));
  const workers = new Map<string, Thread>();
  socket.addEventListener('message', ({ data }) => {
    const message: Message = JSON.parse(String(data));
    const { sessionId = '', message: inner = '' } = message.params ?? {};
    if (message.method === 'NodeWorker.attachedToWorker') {
      const worker = openThread((text) => {
        void thread.send('NodeWorker.sendMessageToWorker', { sessionId, message: text });
      });
      workers.set(sessionId, worker);
      void startCounting(worker);
    } else if (message.method === 'NodeWorker.detachedFromWorker') workers.delete(sessionId);
    else if (message.method === 'NodeWorker.receivedMessageFromWorker') {
      workers.get(sessionId)?.receive(JSON.parse(inner));
    } else thread.receive(message);
  });
  await startCounting(thread);
  await thread.send('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return {
    output: () => output,
    async ran() {
      const found = await Promise.all([thread, ...workers.values()].map((one) => takeCounts(one)));
      const files = new Map<string, string[]>();
      for (const [file, names] of found.flat()) files.set(file, [...(files.get(file) ?? []), ...names]);
      return files;
    },
    async stop() {
      socket.close();
      if (child.exitCode === null) {
        const exit = once(child, 'exit');
        child.kill('SIGTERM');
        await exit;
      }
    },
  };
}

interface Thread {
  readonly send: (method: string, params?: object) => Promise<Message>;
  readonly receive: (message: Message) => void;
}

function openThread(send: (text: string) => void): Thread {
  const waiting = new Map<number, (message: Message) => void>();
  let last = 0;
  return {
    send(method, params = {}) {
      last += 1;
      const id = last;
      send(JSON.stringify({ id, method, params }));
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    receive(message) {
      waiting.get(message.id ?? 0)?.(message);
      waiting.delete(message.id ?? 0);
    },
  };
}

async function startCounting(thread: Thread): Promise<void> {
  await thread.send('Profiler.enable');
  await thread.send('Profiler.startPreciseCoverage', START);
}

async function takeCounts(thread: Thread): Promise<[string, string[]][]> {
  const { result } = await thread.send('Profiler.takePreciseCoverage');
  return (result?.result ?? [])
    .filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/'))
    .map(({ url, functions }): [string, string[]] => [
      fileURLToPath(url),
      functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName),
    ])
    .filter(([, names]) => names.length > 0);
}

async function until<T>(find: () => T | undefined, child: ChildProcess): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    if (child.exitCode !== null) throw new Error(`The program ended with ${child.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
