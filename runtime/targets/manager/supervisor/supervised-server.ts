import { isDeepStrictEqual } from 'node:util';
import { AppError, messageOf } from '#contract/errors.ts';
import { TurnQueue } from '#core/limits/turn-queue.ts';
import { waitFor } from '#platform/wait-for.ts';
import type { ServerUser } from '../access/caller.ts';
import { needsNewSession } from './needs-new-session.ts';
import { actingOAuth, isPerUser, type ServerSpec, signsInPerUser } from '../config/spec.ts';
import { signInRequired } from '../sign-in/sign-in-required.ts';
import type { SignInState } from '../sign-in/sign-in-store.ts';
import type { ListName } from '../shared/list-items.ts';
import type { Connection, RequestHeaders } from '../upstream/connection.ts';
import type {
  ConnectionOptions,
  Health,
  ListFaults,
  ManagedServer,
  ServerStatus,
  PinFindings,
  Instances,
} from './managed-server.ts';
import { createListFaults } from './list-faults.ts';
import { createPinFindings } from './pin-findings.ts';
import { type LineLevel } from './log-level.ts';
import { createServerLogs, type WritableServerLogs } from './server-logs.ts';
import type { ServerParts } from './parts.ts';
import { ServerRunner } from './server-runner.ts';
import type { Session } from './session.ts';
import { createInstanceLimit, type InstanceLimit } from './instance-limit.ts';
import { createUserServers, type UserServers } from './user-servers.ts';
import type { FillProblem } from '../user-secrets/fill-launch.ts';
import {
  callHeadersOf,
  hasUserValues,
  instanceKey,
  missingToken,
  unidentified,
  VALUES_OF_USERS,
} from './instance-key.ts';
import type { Clock } from '#platform/clock.ts';

/** The user of a process or connection. */
interface Owner {
  /** The user, with the latest access token. */
  user: ServerUser;
  /** The state of the user's secrets when they were last compared with those that are filled in. */
  state: string | undefined;
  readonly problem: FillProblem | undefined;
  readonly logs: WritableServerLogs;
}

/**
 * Minimum time since the last call before other users can get the place. Otherwise, two users that take turns would
 * start a process for each call.
 */
const MIN_UNUSED_MS = 1000;

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
  readonly pinFindings: PinFindings;
  readonly #parts: ServerParts;
  readonly #runner: ServerRunner;
  readonly #idle: IdleWatch;
  readonly #users: UserServers<SupervisedServer> = createUserServers();
  readonly #owner: Owner | undefined;
  #instances: InstanceLimit | undefined;
  #spec: ServerSpec;
  #restarting: Promise<void> | undefined;
  #listsReadAt: number | undefined;

  /** `owner`: the user, if this is a user's process or connection. */
  constructor(spec: ServerSpec, parts: ServerParts, owner?: Owner) {
    this.name = spec.name;
    this.#spec = spec;
    this.#parts = parts;
    this.#owner = owner;
    this.logs = owner?.logs ?? createServerLogs(spec.name, parts);
    const redact = (text: string): string => parts.redact(text, this.name);
    const warn = (text: string): void => this.logs.fromManager('warn', text);
    this.listFaults = createListFaults(redact, warn);
    this.pinFindings = createPinFindings(redact, warn);
    this.turns = new TurnQueue(spec.concurrency, spec.queue);
    this.#runner = new ServerRunner(() => this.#spec, parts, this.logs);
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
      pid: session?.pid,
      startedAt: session?.startedAt,
      restarts,
      reason: why.text,
      reasonLines: why.lines,
      nextStartAt: nextStart?.at,
      protocolVersion: session?.peer.protocolVersion,
      server: session && `${session.peer.name} ${session.peer.version}`,
      ...this.#totals(phase),
      warnings: session?.warnings() ?? [],
      listsReadAt: this.#spec.lazy ? this.#listsReadAt : undefined,
    };
  }

  /** The phase and the calls, together with those of the users' processes or connections. */
  #totals(own: ServerStatus['phase']): Pick<ServerStatus, 'phase' | 'running' | 'queued'> {
    let [phase, running, queued] = [own, this.turns.running, this.turns.waiting];
    for (const server of this.#users.all()) {
      if (server.#runner.session && phase === 'idle') phase = 'running';
      running += server.turns.running;
      queued += server.turns.waiting;
    }
    return { phase, running, queued };
  }

  signIn(): SignInState | undefined {
    const { launch } = this.#spec;
    const { user } = this.#parts;
    if (launch.kind !== 'remote' || (isPerUser(this.#spec) && user === undefined)) return undefined;
    return this.#parts.signInState?.({ server: this.name, url: launch.url, user });
  }

  forUser(user: ServerUser): SupervisedServer {
    if (this.#owner || !isPerUser(this.#spec)) return this;
    const key = instanceKey(this.#spec, user);
    if (key === undefined) return this;
    const known = this.#users.find(key);
    if (known) {
      const owner = known.#owner;
      if (owner) owner.user = user;
      if (!this.#isCurrent(known)) this.#users.forget((one) => one === known);
    }
    return this.#users.get(key, () => this.#createFor(user, key));
  }

  /** Whether a user's secrets are still those that were filled in. Also notices changes by other processes. */
  #isCurrent(server: SupervisedServer): boolean {
    const { userValues } = this.#parts;
    const owner = server.#owner;
    if (!owner || !userValues || !hasUserValues(this.#spec)) return true;
    const state = userValues.stateOf(owner.user.user ?? '');
    if (owner.state === state) return true;
    const filled = userValues.fill(this.#spec, owner.user);
    if (!isDeepStrictEqual([filled.launch, filled.problem], [server.#spec.launch, owner.problem]))
      return false;
    owner.state = state;
    return true;
  }

  instance(key: string | undefined): SupervisedServer | undefined {
    return key === undefined || this.#owner ? this : this.#users.find(key);
  }

  /** Creates a user's process or connection, which starts with the first call. */
  #createFor(user: ServerUser, key: string): SupervisedServer {
    const { userValues } = this.#parts;
    const state = hasUserValues(this.#spec) ? userValues?.stateOf(user.user ?? '') : undefined;
    const filled = hasUserValues(this.#spec) ? userValues?.fill(this.#spec, user) : undefined;
    const spec = filled ? { ...this.#spec, launch: filled.launch } : this.#spec;
    const emit: ServerParts['emit'] = (event) => this.#parts.emit({ ...event, user: key });
    const logs = this.logs.forUser(user.userId ?? '');
    const problem = filled?.problem ?? missingToken(this.#spec, user);
    const owner: Owner = { user, state, problem, logs };
    const instances = this.#instanceLimit();
    const currentUser = (): ServerUser => owner.user;
    const parts = { ...this.#parts, user: user.user, currentUser, emit, instances };
    return new SupervisedServer(spec, parts, owner);
  }

  #instanceLimit(): InstanceLimit | undefined {
    const { maxInstances: max, queue: maxWaiting, name: server } = this.#spec;
    if (max === undefined) return undefined;
    this.#instances ??= createInstanceLimit({
      server,
      max,
      maxWaiting,
      clock: this.#parts.clock,
      makeRoom: (count) => this.#makeRoom(count),
    });
    return this.#instances;
  }

  /** Stops processes or connections that no call uses, so that other users can have one. */
  #makeRoom(count: number): void {
    let left = count;
    for (const server of this.#users.all()) {
      if (left === 0) return;
      const { session } = server.#runner;
      if (!session || server.#isInUse(session)) continue;
      if (this.#parts.clock.now() - session.lastUsed < MIN_UNUSED_MS) continue;
      server.#runner.stopIdle('stopped: other users wait for an instance (max_instances)');
      left -= 1;
    }
  }

  instances(): Instances | undefined {
    const { maxInstances: max } = this.#spec;
    if (max === undefined || this.#owner) return undefined;
    return { running: this.#instances?.running ?? 0, max };
  }

  userChanged(user: string): void {
    if (!isPerUser(this.#spec)) return;
    this.#users.forget((one) => one.#owner?.user.user === user);
    this.#parts.emit({ kind: 'user-changed', server: this.name, user });
  }

  secretsChanged(user: string): void {
    if (!hasUserValues(this.#spec)) return;
    this.#users.forget((one) => one.#owner?.user.user === user && !this.#isCurrent(one));
    this.#parts.emit({ kind: 'user-changed', server: this.name, user });
  }

  problemOf(user: ServerUser): FillProblem | undefined {
    if (callHeadersOf(this.#spec)) {
      if (user.user === undefined) return { message: unidentified(this.name, VALUES_OF_USERS), secrets: [] };
      return this.#parts.userValues?.callHeaders(this.#spec, user).problem;
    }
    return isPerUser(this.#spec) ? this.forUser(user).valuesProblem() : undefined;
  }

  callHeaders(user: ServerUser): RequestHeaders | undefined {
    if (!callHeadersOf(this.#spec)) return undefined;
    const { headers, problem } = this.#parts.userValues?.callHeaders(this.#spec, user) ?? {};
    if (headers) return headers;
    throw new AppError('UpstreamError', problem?.message ?? unidentified(this.name, VALUES_OF_USERS));
  }

  valuesProblem(): FillProblem | undefined {
    if (!hasUserValues(this.#spec) && !actingOAuth(this.#spec)) return undefined;
    return this.#owner
      ? this.#owner.problem
      : { message: unidentified(this.name, VALUES_OF_USERS), secrets: [] };
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
    this.#requireUser();
    if (!this.#runner.isStarting) this.#parts.instances?.check();
    const next = this.#runner.nextSession();
    // Also if the callers leave before the start.
    next.then(
      () => this.#idle.start(),
      () => undefined,
    );
    const session = await waitFor(next, {
      clock: this.#parts.clock,
      timeoutMs,
      signal,
      late: () => this.#runner.unavailable(),
    });
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
    // Users' values are filled in again by the next call of each user.
    if (!isPerUser(spec) || relaunch) void this.#users.stop({ gracefully: true });
    for (const server of this.#users.all())
      server.update({ ...spec, launch: server.#spec.launch }, undefined);
    if (spec.maxInstances !== undefined) this.#instances?.resize(spec.maxInstances, spec.queue);
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
    if (!this.#owner) this.logs.close();
  }

  /** Rejects a call before trying the connection, because only the user can change the outcome. */
  #requireUser(): void {
    if (!isPerUser(this.#spec)) return;
    if (!this.#owner) {
      const reason = signsInPerUser(this.#spec) ? 'each user must sign in' : VALUES_OF_USERS;
      throw new AppError('ForbiddenError', unidentified(this.name, reason));
    }
    const { problem } = this.#owner;
    if (problem) throw new AppError('UpstreamError', problem.message);
    if (signsInPerUser(this.#spec) && this.signIn() !== 'signed-in') throw signInRequired(this.name);
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
