import { MessagePort } from 'node:worker_threads';
import { AppError, messageOf } from '#contract/errors.ts';
import { OpenItems } from '#core/limits/open-items.ts';
import { shuttingDown } from '../lifecycle.ts';

/** The functions that one thread offers to another. Their arguments and results are copied. */
export type ThreadFunctions = Readonly<Record<string, (...args: never[]) => unknown>>;

type Arguments<Called> = Called extends (...args: infer Args) => unknown ? Args : never;
type Result<Called> = Called extends (...args: never[]) => infer Value ? Awaited<Value> : never;

/** A connection to the functions of another thread. */
export interface ThreadLink<Remote> {
  /** Calls a function. Rejects with its error, or with an UnavailableError if the other thread has ended. */
  call<Name extends keyof Remote & string>(
    name: Name,
    ...args: Arguments<Remote[Name]>
  ): Promise<Result<Remote[Name]>>;
  /** Calls a function whose result does not matter. */
  tell<Name extends keyof Remote & string>(name: Name, ...args: Arguments<Remote[Name]>): void;
  /** Calls a function whose last argument is a port, which then belongs to the other thread. */
  give(name: keyof Remote & string, argument: object, port: MessagePort): void;
  /** Offers functions to the other thread. It must only call them afterwards. */
  readonly offer: (functions: ThreadFunctions) => void;
  readonly close: () => void;
}

/** The ID of a call, 0 for one without a reply. */
type Call = readonly [kind: 'call', id: number, name: string, args: readonly unknown[]];
type Reply = readonly [kind: 'reply', id: number, value: unknown];
type Failure = readonly [kind: 'failure', id: number, error: PlainError];
type Message = Call | Reply | Failure;

/**
 * Connects two threads. Everything that a thread sends during one turn of its event loop is one message,
 * because waking up the other thread costs more than a call (docs/decisions/0160).
 */
export function openThreadLink<Remote>(
  port: MessagePort,
  functions: ThreadFunctions = {},
): ThreadLink<Remote> {
  let local = functions;
  const waiting = new OpenItems<number, PromiseWithResolvers<unknown>>();
  let outbox: Message[] = [];
  let given: MessagePort[] = [];
  let lastId = 0;
  let isClosed = false;

  const flush = (): void => {
    const [messages, ports] = [outbox, given];
    [outbox, given] = [[], []];
    if (isClosed) return;
    try {
      port.postMessage(messages, ports);
    } catch {
      // One of them cannot be copied. The others must not fail because of it.
      messages.forEach(sendAlone);
    }
  };
  const sendAlone = (message: Message): void => {
    try {
      port.postMessage([message], portsIn(message));
    } catch (error) {
      const [kind, id] = message;
      if (kind === 'reply') port.postMessage([['failure', id, toPlain(error)] satisfies Failure]);
      else if (kind === 'call') settle(['failure', id, toPlain(error)]);
    }
  };
  const send = (message: Message): void => {
    if (outbox.length === 0) setImmediate(flush);
    outbox.push(message);
  };
  const answer = async (id: number, result: Promise<unknown>): Promise<void> => {
    try {
      const value = await result;
      if (id !== 0) send(['reply', id, value]);
    } catch (error) {
      if (id !== 0) send(['failure', id, toPlain(error)]);
    }
  };
  const run = ([, id, name, args]: Call): void => {
    try {
      const result = local[name]?.(...(args as never[]));
      if (result instanceof Promise) void answer(id, result);
      else if (id !== 0) send(['reply', id, result]);
    } catch (error) {
      if (id !== 0) send(['failure', id, toPlain(error)]);
    }
  };
  const settle = ([kind, id, value]: Reply | Failure): void => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (kind === 'reply') call?.resolve(value);
    else call?.reject(fromPlain(value));
  };
  const receive = (message: Message): void => {
    if (message[0] === 'call') run(message);
    else settle(message);
  };
  port.on('message', (messages: readonly Message[]) => messages.forEach(receive));
  port.on('close', () => {
    isClosed = true;
    for (const id of waiting.keys()) {
      waiting.get(id)?.reject(shuttingDown());
      waiting.delete(id);
    }
  });

  return {
    async call(name, ...args) {
      if (isClosed) throw shuttingDown();
      lastId += 1;
      const id = lastId;
      const call = Promise.withResolvers<unknown>();
      waiting.set(id, call);
      send(['call', id, name, args]);
      // The functions of the other thread have the type `Remote`.
      return (await call.promise) as never;
    },
    tell(name, ...args) {
      if (!isClosed) send(['call', 0, name, args]);
    },
    give(name, argument, ownPort) {
      send(['call', 0, name, [argument, ownPort]]);
      given.push(ownPort);
    },
    offer: (fresh) => void (local = fresh),
    close: () => port.close(),
  };
}

/** A port can only be the last argument of a call. */
const portsIn = ([kind, , , args]: Message): MessagePort[] => {
  const last: unknown = kind === 'call' ? args.at(-1) : undefined;
  return last instanceof MessagePort ? [last] : [];
};

/** An AppError without its class, which a copy would lose. */
interface PlainError extends Pick<AppError, 'code' | 'message' | 'details' | 'retryAfterSeconds' | 'reason'> {
  readonly cause: string | undefined;
}

function toPlain(thrown: unknown): PlainError {
  const { code, message, details, retryAfterSeconds, reason, cause } = AppError.from(thrown);
  return {
    code,
    message,
    details: details?.map(({ message: text, location, rule }) => ({ message: text, location, rule })),
    retryAfterSeconds,
    reason,
    cause: cause === undefined ? undefined : messageOf(cause),
  };
}

const fromPlain = ({ code, message, cause, ...options }: PlainError): AppError =>
  new AppError(code, message, { ...options, ...(cause !== undefined && { cause: new Error(cause) }) });
