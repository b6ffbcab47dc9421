import { isDeepStrictEqual } from 'node:util';
import { AppError, messageOf } from '../../../contract/errors.ts';
import { TurnQueue } from '../../../core/limits/turn-queue.ts';
import { waitFor } from '../../../platform/wait-for.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Connection } from '../upstream/connection.ts';
import type { Health, ListFaults, ManagedServer, ServerStatus } from './managed-server.ts';
import { IdleWatch } from './idle-watch.ts';
import { createListFaults } from './list-faults.ts';
import type { LineLevel } from './log-level.ts';
import type { ServerParts } from './parts.ts';
import { createServerLogs, type WritableServerLogs } from './server-logs.ts';
import { ServerRunner } from './server-runner.ts';
import type { Session } from './session.ts';

/** One server as the rest of the manager sees it, whatever happens to its process. */
export class SupervisedServer implements ManagedServer {
  readonly name: string;
  readonly logs: WritableServerLogs;
  readonly turns: TurnQueue;
  readonly listFaults: ListFaults;
  readonly #parts: ServerParts;
  readonly #runner: ServerRunner;
  readonly #idle: IdleWatch;
  #spec: ServerSpec;
  #restarting: Promise<void> | undefined;

  constructor(spec: ServerSpec, parts: ServerParts) {
    this.name = spec.name;
    this.#spec = spec;
    this.#parts = parts;
    this.logs = createServerLogs(spec.name, parts);
    this.listFaults = createListFaults(
      (text) => parts.redact(text, this.name),
      (text) => this.logs.fromManager('warn', text),
    );
    this.turns = new TurnQueue(spec.concurrency, spec.queue);
    this.#runner = new ServerRunner(() => this.#spec, parts, this.logs);
    this.#idle = new IdleWatch({
      clock: parts.clock,
      idleMs: () => this.#spec.idleMs,
      lastUsed: () => this.#lastUsed(),
      onIdle: () => this.#runner.rest(),
    });
  }

  spec(): ServerSpec {
    return this.#spec;
  }

  health(): Health {
    return this.#runner.health.health();
  }

  status(): ServerStatus {
    const { session, phase, restarts, reason, nextStart } = this.#runner;
    return {
      phase,
      pid: session?.pid,
      startedAt: session?.startedAt,
      restarts,
      reason,
      nextStartAt: nextStart?.at,
      protocolVersion: session?.peer.protocolVersion,
      server: session && `${session.peer.name} ${session.peer.version}`,
      running: this.turns.running,
      queued: this.turns.waiting,
    };
  }

  log(level: LineLevel, text: string): void {
    this.logs.fromManager(level, text);
  }

  announceChange(list: ListName): void {
    this.#parts.emit({ kind: 'list-changed', server: this.name, list });
  }

  /** A start of it that fails spoils nothing. */
  get failing(): boolean {
    return this.#runner.failing;
  }

  begin(): void {
    this.#runner.begin();
  }

  async connection({
    timeoutMs,
    signal,
  }: {
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
  }): Promise<Connection> {
    if (this.#runner.session) return this.#runner.session;
    const session = await waitFor(this.#runner.awaited(), {
      clock: this.#parts.clock,
      timeoutMs,
      signal,
      late: () => this.#runner.unavailable(),
    });
    this.#idle.start();
    return session;
  }

  async restart(): Promise<void> {
    if (!this.#runner.session) {
      this.#runner.beginAfresh('requested');
      await this.#runner.awaited();
      return;
    }
    this.#restarting ??= this.#openAnew().finally(() => (this.#restarting = undefined));
    await this.#restarting;
  }

  /** Opens what is to take over by `update` or `adopt`; nothing changes by it. */
  open(spec: ServerSpec, signal: AbortSignal): Promise<Session> {
    return this.#runner.open(spec, signal);
  }

  /** The first session of a new server. */
  adopt(session: Session): void {
    this.#runner.replace(session);
  }

  /** Whether only a new session can bring this specification about. */
  mustRelaunch(spec: ServerSpec): boolean {
    return !isDeepStrictEqual(spec.launch, this.#spec.launch);
  }

  /** Takes a new specification, and the session that was opened by it if there is one. */
  update(spec: ServerSpec, session: Session | undefined): void {
    const relaunch = this.mustRelaunch(spec);
    this.#spec = spec;
    this.turns.resize(spec.concurrency, spec.queue);
    if (session) {
      this.#runner.replace(session, 'reload');
    } else if (relaunch) {
      this.#runner.dropSession();
      this.#runner.beginAfresh('reload');
    } else if (!spec.lazy && this.#runner.phase === 'idle') {
      this.#runner.begin();
    }
    this.#idle.start();
  }

  /** Tries again now to start what is down. */
  retry(): void {
    if (this.#runner.nextStart) this.#runner.beginAfresh('reload');
  }

  /** For good. Gracefully: when all that was accepted is answered, but within the time of a request. */
  async stop({ gracefully }: { readonly gracefully: boolean }): Promise<void> {
    this.#idle.stop();
    if (gracefully && this.#runner.session) {
      await waitFor(this.turns.idle(), {
        clock: this.#parts.clock,
        timeoutMs: this.#spec.timeouts.request,
        late: () => this.#runner.unavailable(),
      }).catch(() => {});
    }
    await this.#runner.stop({ gracefully });
    this.logs.close();
  }

  async #openAnew(): Promise<void> {
    const spec = this.#spec;
    const session = await this.open(spec, new AbortController().signal).catch((error: unknown) => {
      const message = `${this.name} was not restarted, and runs on as it was: ${messageOf(error)}`;
      throw new AppError('UpstreamError', this.#parts.redact(message, this.name), { cause: error });
    });
    // A reload came first: what runs now is newer than this.
    if (this.#runner.over || this.mustRelaunch(spec)) await session.close();
    else this.#runner.replace(session, 'requested');
  }

  #lastUsed(): number | undefined {
    const { session } = this.#runner;
    if (!this.#spec.lazy || !session) return undefined;
    return session.running > 0 || this.turns.running > 0 ? this.#parts.clock.now() : session.lastUsed;
  }
}
