import { AppError, messageOf } from '#contract/errors.ts';
import { TurnQueue } from '#core/limits/turn-queue.ts';
import { waitFor } from '#platform/wait-for.ts';
import { needsNewSession } from './needs-new-session.ts';
import { isPerUser, type ServerSpec } from '../config/spec.ts';
import { signInRequired } from '../sign-in/sign-in-required.ts';
import type { SignInState } from '../sign-in/sign-in-store.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Connection } from '../upstream/connection.ts';
import type {
  ConnectionOptions,
  Health,
  ListFaults,
  ManagedServer,
  ServerStatus,
  ToolFindings,
  ToolChange,
} from './managed-server.ts';
import { createListFaults } from './list-faults.ts';
import { type LineLevel } from './log-level.ts';
import { createServerLogs, type WritableServerLogs } from './server-logs.ts';
import type { ServerParts } from './parts.ts';
import { ServerRunner } from './server-runner.ts';
import type { Session } from './session.ts';
import type { Clock } from '#platform/clock.ts';

/** The methods of a user's connection that its owner uses. */
interface UserServer {
  /** Whether the connection can be dropped without losing any requests or state. */
  readonly isIdle: boolean;
  stop(options: { readonly gracefully: boolean }): Promise<void>;
}

/** The connections of a server with one sign-in per user. */
interface UserServers<Server extends UserServer> {
  /** Returns a user's connection, which opens with its first call. */
  get(user: string): Server;
  all(): Iterable<Server>;
  /** Closes a user's connection after its calls. The next call opens a new one. */
  forget(user: string): void;
  stop(options: { readonly gracefully: boolean }): Promise<void>;
}

/**
 * Number of users above which idle users are dropped. Idle users occupy memory, but have no open
 * connection.
 */
const MAX_IDLE = 1000;

function createUserServers<Server extends UserServer>(
  create: (user: string) => Server,
  max = MAX_IDLE,
): UserServers<Server> {
  /** Ordered by last use. */
  const known = new Map<string, Server>();
  const stopping = new Set<Promise<void>>();
  const stop = (server: Server, gracefully: boolean): void => {
    const stopped = server.stop({ gracefully }).finally(() => stopping.delete(stopped));
    stopping.add(stopped);
  };
  const forgetIdle = (): void => {
    for (const [user, server] of known) {
      if (known.size <= max) return;
      if (!server.isIdle) continue;
      known.delete(user);
      stop(server, true);
    }
  };
  return {
    get(user) {
      const server = known.get(user) ?? create(user);
      known.delete(user);
      known.set(user, server);
      if (known.size > max) forgetIdle();
      return server;
    },
    all: () => known.values(),
    forget(user) {
      const server = known.get(user);
      known.delete(user);
      if (server) stop(server, true);
    },
    async stop({ gracefully }) {
      for (const server of known.values()) stop(server, gracefully);
      known.clear();
      await Promise.all(stopping);
    },
  };
}

/** Maximum number of findings kept per kind, because a server can list thousands of tools. */
const MAX_KEPT = 100;

/** Collects findings about a server's tools. `warn` receives each one when it appears. */
function createToolFindings(redact: (text: string) => string, warn: (text: string) => void): ToolFindings {
  let changes: readonly ToolChange[] = [];
  let faults: readonly string[] = [];
  let known = new Set<string>();
  return {
    changes: () => changes,
    faults: () => faults,
    report(latest, consequence) {
      changes = latest.changes.slice(0, MAX_KEPT);
      faults = latest.faults.slice(0, MAX_KEPT).map(redact);
      const texts = [...changes.map((change) => redact(`${sentenceOf(change)}; ${consequence}`)), ...faults];
      for (const text of texts) if (!known.has(text)) warn(text);
      known = new Set(texts);
    },
  };
}

const sentenceOf = ({ tool, change }: ToolChange): string =>
  change === 'new' ? `the tool ${tool} is not pinned` : `the tool ${tool} differs from its pinned definition`;

interface IdleOptions {
  readonly clock: Clock;
  readonly idleMs: () => number;
  /** Returns the time of the last use, or now if in use; undefined to stop watching. */
  readonly lastUsed: () => number | undefined;
  readonly onIdle: () => void;
}

/**
 * Calls `onIdle` once after a period without use. Uses do not have to be reported: the watch only checks when
 * the period may have elapsed.
 */
class IdleWatch {
  readonly #options: IdleOptions;
  #cancel: (() => void) | undefined;

  constructor(options: IdleOptions) {
    this.#options = options;
  }

  start(): void {
    this.stop();
    const { clock, idleMs, lastUsed, onIdle } = this.#options;
    const used = lastUsed();
    if (used === undefined) return;
    const left = used + idleMs() - clock.now();
    if (left <= 0) onIdle();
    else this.#cancel = clock.after(left, () => this.start());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/**
 * A server as seen by the rest of the manager. The object stays the same while its process and settings are
 * replaced.
 */
export class SupervisedServer implements ManagedServer {
  readonly name: string;
  readonly logs: WritableServerLogs;
  readonly turns: TurnQueue;
  readonly listFaults: ListFaults;
  readonly toolFindings: ToolFindings;
  readonly #parts: ServerParts;
  readonly #runner: ServerRunner;
  readonly #idle: IdleWatch;
  readonly #users: UserServers<SupervisedServer>;
  #spec: ServerSpec;
  #restarting: Promise<void> | undefined;
  #listsReadAt: number | undefined;

  /** `logs`: the server's logs, if this is a user's connection. */
  constructor(spec: ServerSpec, parts: ServerParts, logs?: WritableServerLogs) {
    this.name = spec.name;
    this.#spec = spec;
    this.#parts = parts;
    this.logs = logs ?? createServerLogs(spec.name, parts);
    const redact = (text: string): string => parts.redact(text, this.name);
    const warn = (text: string): void => this.logs.fromManager('warn', text);
    this.listFaults = createListFaults(redact, warn);
    this.toolFindings = createToolFindings(redact, warn);
    this.turns = new TurnQueue(spec.concurrency, spec.queue);
    this.#runner = new ServerRunner(() => this.#spec, parts, this.logs);
    this.#users = createUserServers((user) => {
      const emit: ServerParts['emit'] = (event) => parts.emit({ ...event, user });
      return new SupervisedServer(this.#spec, { ...parts, user, emit }, this.logs);
    });
    this.#idle = new IdleWatch({
      clock: parts.clock,
      idleMs: () => this.#spec.idleMs,
      lastUsed: () => this.#lastUsed(),
      onIdle: () => this.#stopIdle(),
    });
  }

  spec(): ServerSpec {
    return this.#spec;
  }

  health(): Health {
    return this.#runner.health.health();
  }

  status(): ServerStatus {
    const { session, phase, restarts, why, nextStart } = this.#runner;
    return {
      phase,
      pid: session?.pid,
      startedAt: session?.startedAt,
      restarts,
      reason: why.text,
      reasonLines: why.lines,
      nextStartAt: nextStart?.at,
      protocolVersion: session?.peer.protocolVersion,
      server: session && `${session.peer.name} ${session.peer.version}`,
      running: this.turns.running,
      queued: this.turns.waiting,
      warnings: session?.warnings() ?? [],
      listsReadAt: this.#spec.lazy ? this.#listsReadAt : undefined,
    };
  }

  signIn(): SignInState | undefined {
    const { launch } = this.#spec;
    const { user } = this.#parts;
    if (launch.kind !== 'remote' || (isPerUser(this.#spec) && user === undefined)) return undefined;
    return this.#parts.signInState?.({ server: this.name, url: launch.url, user });
  }

  forUser(user: string | undefined): SupervisedServer {
    const isOwn = user === undefined || this.#parts.user !== undefined || !isPerUser(this.#spec);
    return isOwn ? this : this.#users.get(user);
  }

  signInChanged(user: string): void {
    this.#users.forget(user);
    this.#parts.emit({ kind: 'sign-in-changed', server: this.name, user });
  }

  /** Whether the user's connection is closed and has no calls. */
  get isIdle(): boolean {
    return !this.#runner.session && !this.#runner.isStarting && this.turns.running === 0;
  }

  log(level: LineLevel, text: string): void {
    this.logs.fromManager(level, text);
  }

  announceChange(list: ListName): void {
    this.#parts.emit({ kind: 'list-changed', server: this.name, list });
  }

  /** Whether the server failed to start or exited immediately, so that another failed start changes nothing. */
  get isFailing(): boolean {
    return this.#runner.isFailing;
  }

  begin(): void {
    this.#runner.begin();
  }

  openConnection(): Connection | undefined {
    return this.#runner.session;
  }

  connection(options: ConnectionOptions): Connection | Promise<Connection> {
    return this.#runner.session ?? this.#nextConnection(options);
  }

  async #nextConnection({ timeoutMs, signal }: ConnectionOptions): Promise<Connection> {
    this.#requireSignIn();
    const session = await waitFor(this.#runner.nextSession(), {
      clock: this.#parts.clock,
      timeoutMs,
      signal,
      late: () => this.#runner.unavailable(),
    });
    this.#idle.start();
    return session;
  }

  reportLists(listedAt: number | undefined): void {
    this.#listsReadAt = listedAt;
  }

  async sleep(): Promise<void> {
    const { session } = this.#runner;
    if (!this.#spec.lazy || !session || this.#isInUse(session)) return;
    this.#runner.stopIdle('stopped: its lists are known, and no call needs it');
    await session.closed;
  }

  async restart(): Promise<void> {
    if (isPerUser(this.#spec)) return await this.#users.stop({ gracefully: true });
    if (!this.#runner.session) {
      this.#runner.restartNow('requested');
      await this.#runner.nextSession();
      this.#idle.start();
      return;
    }
    this.#restarting ??= this.#replaceSession().finally(() => (this.#restarting = undefined));
    await this.#restarting;
  }

  /** Opens a session for `update` or `adopt`. The current session is not affected. */
  open(spec: ServerSpec, signal: AbortSignal): Promise<Session> {
    return this.#runner.open(spec, { signal });
  }

  /** Sets a new server's first session. */
  adopt(session: Session): void {
    this.#runner.replace(session);
  }

  /** Whether a specification requires a new session. */
  mustRelaunch(spec: ServerSpec): boolean {
    return needsNewSession(this.#spec, spec);
  }

  /** Applies a new specification, with the session opened for it, if any. */
  update(spec: ServerSpec, session: Session | undefined): void {
    const relaunch = this.mustRelaunch(spec);
    this.#spec = spec;
    if (!isPerUser(spec)) void this.#users.stop({ gracefully: true });
    for (const server of this.#users.all()) server.update(spec, undefined);
    this.turns.resize(spec.concurrency, spec.queue);
    if (session) {
      this.#runner.replace(session, 'reload');
    } else if (relaunch) {
      this.#runner.dropSession();
      this.#runner.restartNow('reload');
    } else if (!spec.lazy && this.#runner.phase === 'idle') {
      this.#runner.begin();
    }
    this.#idle.start();
  }

  /** If the server is waiting for its next start, starts it immediately. */
  retry(): void {
    if (this.#runner.nextStart) this.#runner.restartNow('reload');
  }

  /** Stops the server without restarting it; a graceful stop waits for accepted calls, up to the request timeout. */
  async stop({ gracefully }: { readonly gracefully: boolean }): Promise<void> {
    this.#idle.stop();
    if (gracefully && this.#runner.session) {
      await waitFor(this.turns.idle(), {
        clock: this.#parts.clock,
        timeoutMs: this.#spec.timeouts.request,
        late: () => this.#runner.unavailable(),
      }).catch(() => {});
    }
    await Promise.all([this.#runner.stop({ gracefully }), this.#users.stop({ gracefully })]);
    if (this.#parts.user === undefined) this.logs.close();
  }

  /** Rejects a call before trying the connection, because only the user can change the outcome. */
  #requireSignIn(): void {
    if (!isPerUser(this.#spec)) return;
    const { user } = this.#parts;
    if (user === undefined) {
      throw new AppError(
        'ForbiddenError',
        `server ${this.name}: each user must sign in, but the manager cannot identify the caller. Use an API key or an access token.`,
      );
    }
    if (this.signIn() !== 'signed-in') throw signInRequired(this.name);
  }

  async #replaceSession(): Promise<void> {
    const spec = this.#spec;
    const session = await this.open(spec, new AbortController().signal).catch((error: unknown) => {
      const message = `Server ${this.name} was not restarted and keeps running: ${messageOf(error)}`;
      throw new AppError('UpstreamError', this.#parts.redact(message, this.name), { cause: error });
    });
    // If a reload was faster, the current session is newer than this session.
    if (this.#runner.isStopped || this.mustRelaunch(spec)) await session.close();
    else this.#runner.replace(session, 'requested');
  }

  #lastUsed(): number | undefined {
    const { session } = this.#runner;
    if (!this.#spec.lazy || !session) return undefined;
    return this.#isInUse(session) ? this.#parts.clock.now() : session.lastUsed;
  }

  #isInUse(session: Session): boolean {
    return session.running > 0 || this.turns.running > 0;
  }

  /** Stops the server after the work that listeners still want to do, unless a call has meanwhile arrived. */
  #stopIdle(): void {
    const { session } = this.#runner;
    const works: Promise<unknown>[] = [];
    this.#parts.emit({ kind: 'idle', server: this.name, waitFor: (work) => void works.push(work) });
    const stop = (): void => {
      if (!session || this.#runner.session !== session) return;
      // Requests that are still in flight, such as a list that the server does not return, finish first.
      if (this.turns.running > 0) this.#idle.start();
      else this.#runner.stopIdle('stopped: no calls within the idle timeout');
    };
    if (works.length === 0) stop();
    else void Promise.allSettled(works).then(stop);
  }
}
