import { parentPort } from 'node:worker_threads';
import { messageOf } from '#contract/errors.ts';
import type { WorkerReply, WorkerRequest } from './worker-client.ts';

export interface Answer {
  readonly reply: unknown;
  /** Memory to transfer to the other thread without copying. */
  readonly transfer?: ArrayBuffer[];
}

/** Handlers of a worker by kind of request. */
type Handlers = Readonly<Record<string, (request: never) => Answer | Promise<Answer>>>;

/** The worker's side of a worker thread: requests are handled sequentially, in order of arrival. */
export function serveWorker(handlers: Handlers): void {
  const port = parentPort;
  if (!port) throw new Error('a worker entry must run in a worker thread');
  const post = (message: WorkerReply, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(message, transfer);
  let before = Promise.resolve();
  port.on('message', ({ id, request }: WorkerRequest<{ readonly kind: string }>) => {
    const handle = handlers[request.kind] as ((request: unknown) => Answer | Promise<Answer>) | undefined;
    if (!handle) throw new Error(`no handler for ${request.kind}`);
    before = before
      .then(() => handle(request))
      .then(
        ({ reply, transfer }) => post({ id, reply }, transfer),
        (error: unknown) => post({ id, error: messageOf(error) }),
      );
  });
}
