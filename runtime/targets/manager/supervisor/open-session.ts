import type { ServerSpec } from '../config/spec.ts';
import type { Connection, CloseReason, PeerInfo, RequestOptions } from '../upstream/connection.ts';
import type { ServerParts } from './parts.ts';
import type { WritableServerLogs } from './server-logs.ts';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '#platform/clock.ts';
import type { Params } from '../shapes/shape.ts';

/** Time after which a server that is still starting no longer delays the starts of others. */
const START_TURN_MS = 5000;

export interface SessionStart {
  readonly signal: AbortSignal;
  /** Receives what the installation of the package is doing, and undefined when the process starts. */
  readonly onInstalling?: ((progress: string | undefined) => void) | undefined;
}

/** Opens a session of a server: installs its package, starts it, and connects its log and its notifications. */
export async function openSession(
  spec: ServerSpec,
  parts: ServerParts,
  logs: WritableServerLogs,
  start: SessionStart,
): Promise<Session> {
  let session: Session | undefined;
  await install(spec, parts, logs, start);
  const open = (): Promise<Connection> =>
    parts.open(
      spec,
      {
        user: parts.user,
        onLog: logs.fromServer,
        onWarning: (text) => logs.fromManager('warn', text),
        onNotification(method, params) {
          if (session) session.signsOfLife += 1;
          parts.emit({ kind: 'notification', server: spec.name, method, params });
        },
      },
      start.signal,
    );
  session = new Session(await inTurn(spec, parts, start.signal, open), parts.clock);
  return session;
}

/** Waits until the package is installed. Aborting ends the wait only: an installation is never interrupted halfway. */
async function install(
  { launch, timeouts }: ServerSpec,
  { installer }: ServerParts,
  logs: WritableServerLogs,
  { signal, onInstalling }: SessionStart,
): Promise<void> {
  if (!installer || launch.kind !== 'process' || !launch.installation) return;
  let isLogged = false;
  const done = installer.install(launch, {
    timeoutMs: timeouts.install,
    onWarning: (text) => logs.fromManager('warn', text),
    onProgress(text) {
      onInstalling?.(text);
      if (!isLogged) logs.fromManager('info', text);
      isLogged = true;
    },
  });
  await unlessAborted(done, signal);
  if (isLogged) logs.fromManager('info', `installed ${launch.installation.label}`);
  onInstalling?.(undefined);
}

/** Starts a process in its turn: processes that all start at the same time are all slow, and miss their startup timeouts. */
async function inTurn(
  { launch }: ServerSpec,
  { starts, clock, installer }: ServerParts,
  signal: AbortSignal,
  open: () => Promise<Connection>,
): Promise<Connection> {
  if (launch.kind !== 'process') return await open();
  const turn = starts.ask();
  if (turn.kind === 'refused') return await open();
  let forget: (() => void) | undefined;
  try {
    if (turn.kind === 'waiting') await unlessAborted(turn.granted, signal);
    forget = clock.after(START_TURN_MS, turn.leave);
    return await open();
  } catch (error) {
    if (!signal.aborted) installer?.distrust(launch);
    throw error;
  } finally {
    forget?.();
    turn.leave();
  }
}

async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    promise.catch(() => undefined);
  }
}

/** A connection that counts its requests in flight, so that it can close after the last one. */
export class Session implements Connection {
  readonly peer: PeerInfo;
  readonly pid: number | undefined;
  readonly closed: Promise<CloseReason>;
  readonly startedAt: number;
  /** Number of requests in flight. */
  running = 0;
  /** Number of requests that the server has answered. */
  responses = 0;
  /** Number of messages that the server has sent. */
  signsOfLife = 0;
  lastUsed: number;
  readonly #connection: Connection;
  readonly #clock: Clock;
  #drained: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.peer = connection.peer;
    this.pid = connection.pid;
    this.closed = connection.closed;
    this.startedAt = clock.now();
    this.lastUsed = this.startedAt;
  }

  async request(method: string, params: Params | undefined, options: RequestOptions): Promise<Params> {
    this.running += 1;
    try {
      const result = await this.#connection.request(method, params, this.#countProgress(options));
      this.signsOfLife += 1;
      this.responses += 1;
      return result;
    } finally {
      this.running -= 1;
      this.lastUsed = this.#clock.now();
      if (this.running === 0) this.#drained?.();
    }
  }

  #countProgress(options: RequestOptions): RequestOptions {
    const { onProgress } = options;
    if (!onProgress) return options;
    return {
      ...options,
      onProgress: (progress) => {
        this.signsOfLife += 1;
        onProgress(progress);
      },
    };
  }

  warnings(): readonly string[] {
    return this.#connection.warnings?.() ?? [];
  }

  notify(method: string, params?: Params): void {
    this.#connection.notify(method, params);
  }

  check(timeoutMs: number): Promise<number> {
    return this.#connection.check(timeoutMs);
  }

  close(): Promise<void> {
    this.#closing ??= this.#connection.close();
    return this.#closing;
  }

  /** Closes the session after its requests in flight. Each request has its own timeout, which progress extends. */
  async retire(): Promise<void> {
    // A caller that has just received this session sends its request before the next turn of the event loop.
    await setImmediate();
    if (this.running > 0) await Promise.race([this.#drain(), this.closed]);
    await this.close();
  }

  async #drain(): Promise<void> {
    while (this.running > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#drained = resolve;
      await promise;
      // A caller can send another request immediately after a result.
      await setImmediate();
    }
  }
}
