import { AppError, messageOf } from '../../../contract/errors.ts';
import { planRestart } from '../../../core/limits/restart-policy.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { ServerPhase } from './managed-server.ts';
import { HealthMonitor } from './health-monitor.ts';
import { openSession } from './open-session.ts';
import type { RestartReason, ServerParts } from './parts.ts';
import { PendingWork } from './pending-work.ts';
import type { WritableServerLogs } from './server-logs.ts';
import type { Session } from './session.ts';

/** Callers wait for a server that is started again this soon, and are sent away otherwise. */
const SOON_MS = 1000;

interface NextStart {
  readonly at: number;
  /** Soon enough for callers to wait. */
  readonly soon: boolean;
  readonly cancel: () => void;
}

/** Starts one server, and starts it again when it ends: at most one session is current, and at most one start under way. */
export class ServerRunner {
  readonly health: HealthMonitor;
  phase: ServerPhase = 'idle';
  session: Session | undefined;
  restarts = 0;
  reason: string | undefined;
  nextStart: NextStart | undefined;
  over = false;
  readonly #parts: ServerParts;
  readonly #logs: WritableServerLogs;
  readonly #spec: () => ServerSpec;
  #attempt: AbortController | undefined;
  readonly #stopped = new AbortController();
  /** What callers wait for while there is no session. */
  #awaited: PromiseWithResolvers<Session> | undefined;
  #failures = 0;
  /** Everything that still has to end, so that nothing outlives the manager. */
  readonly #ending = new PendingWork();
  readonly #retiring = new Set<Session>();

  constructor(spec: () => ServerSpec, parts: ServerParts, logs: WritableServerLogs) {
    this.#spec = spec;
    this.#parts = parts;
    this.#logs = logs;
    this.health = new HealthMonitor({
      settings: parts.settings,
      clock: parts.clock,
      requestMs: () => spec().timeouts.request,
      onHung: (session) => this.#abandon(session),
    });
  }

  /** Whether starts of it fail, or it ends at once: then a reload cannot make it worse. */
  get failing(): boolean {
    return this.session === undefined && (this.#failures > 0 || this.#spec().launch.kind === 'unusable');
  }

  /** Starts it, or lets it rest until somebody wants it. */
  begin(): void {
    if (this.#isUnusable()) return;
    if (this.#spec().lazy && this.#awaited === undefined) this.#rest();
    else this.#start();
  }

  /** Does the same without looking at what failed before. */
  beginAfresh(reason: RestartReason): void {
    if (this.over) throw this.unavailable();
    this.#failures = 0;
    this.#again(reason);
  }

  /** The session to come, started if need be; throws an UnavailableError when that takes long. */
  awaited(): Promise<Session> {
    const { launch } = this.#spec();
    if (this.over || launch.kind === 'unusable' || (this.nextStart && !this.nextStart.soon)) {
      throw this.unavailable();
    }
    this.#awaited ??= handled(Promise.withResolvers<Session>());
    const { promise } = this.#awaited;
    if (this.phase !== 'starting' && !this.nextStart) this.#start();
    return promise;
  }

  /** Opens what is to take over; nothing changes by it. */
  async open(spec: ServerSpec, signal: AbortSignal): Promise<Session> {
    const both = AbortSignal.any([signal, this.#stopped.signal]);
    return this.#ending.track(openSession(spec, this.#parts, this.#logs, both));
  }

  /** A session takes over. The one before it answers what it was asked, and ends. */
  replace(session: Session, reason?: RestartReason): void {
    if (reason) this.#count(reason);
    this.dropSession();
    this.#dropPlans();
    this.session = session;
    this.#logs.fromManager('info', `started: ${describe(session)}`);
    this.#setPhase('running');
    this.health.watch(session);
    void session.closed.then(({ message }) => this.#ended(session, message));
    this.#awaited?.resolve(session);
    this.#awaited = undefined;
    this.#parts.emit({ kind: 'session-opened', server: this.#spec().name });
  }

  /** There is no session any more; the one there was answers what it was asked. */
  dropSession(): void {
    const { session } = this;
    this.session = undefined;
    if (!session) return;
    this.#retiring.add(session);
    const ending = session.retire().finally(() => this.#retiring.delete(session));
    void this.#ending.track(ending);
  }

  /** Nobody needs a lazy server now. */
  rest(): void {
    this.dropSession();
    this.#rest();
    this.#logs.fromManager('info', 'stopped: nobody has asked it for a while');
  }

  /** No session and no start any more; resolves when every session has ended. */
  async stop({ gracefully }: { readonly gracefully: boolean }): Promise<void> {
    this.over = true;
    this.#stopped.abort();
    this.#dropPlans();
    this.health.stop();
    this.dropSession();
    this.#setPhase('stopping');
    this.#refuse();
    if (!gracefully) for (const session of this.#retiring) void this.#ending.track(session.close());
    await this.#ending.over();
  }

  unavailable(): AppError {
    if (this.#spec().launch.kind === 'unusable') {
      return new AppError('UnavailableError', `server not available: ${this.#spec().name}: ${this.reason}`);
    }
    const left = (this.nextStart?.at ?? 0) - this.#parts.clock.now();
    const retryAfterSeconds = Math.max(1, Math.ceil(left / 1000));
    const why = this.over ? 'it was stopped' : (this.reason ?? 'it has not started yet');
    const message = `server not available: ${this.#spec().name}: ${why}; try again in ${retryAfterSeconds} s`;
    return new AppError('UnavailableError', this.#parts.redact(message, this.#spec().name), {
      retryAfterSeconds,
    });
  }

  #start(): void {
    this.#dropPlans();
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#setPhase('starting');
    void this.#finishStart(attempt);
  }

  async #finishStart(attempt: AbortController): Promise<void> {
    try {
      const session = await this.open(this.#spec(), attempt.signal);
      if (this.#attempt === attempt) this.replace(session);
      else void this.#ending.track(session.close());
    } catch (error) {
      if (this.#attempt !== attempt) return;
      this.#attempt = undefined;
      this.#lost('failed-start', `it could not be started: ${messageOf(error)}`);
    }
  }

  #ended(session: Session, message: string): void {
    if (this.session !== session) return;
    this.session = undefined;
    this.#lost('ended', message, this.#parts.clock.now() - session.startedAt);
  }

  #abandon(session: Session): void {
    if (this.session !== session) return;
    this.session = undefined;
    void this.#ending.track(session.close());
    this.#lost('hung', 'it did not answer any more', this.#parts.clock.now() - session.startedAt);
  }

  #lost(cause: RestartReason, message: string, ranFor?: number): void {
    if (this.over) return;
    const { clock, random, redact } = this.#parts;
    const { failures, delay, crashLoop } = planRestart(this.#failures, ranFor, random);
    this.#failures = failures;
    // It becomes part of longer sentences.
    this.reason = redact(message.replace(/\.$/, ''), this.#spec().name);
    this.health.down();
    const when = delay === 0 ? 'at once' : `in ${(delay / 1000).toFixed(1)} s`;
    const often = crashLoop ? `, after ${failures} failures in a row` : '';
    this.#logs.fromManager(
      crashLoop ? 'error' : 'warn',
      `${this.reason}; to be started again ${when}${often}`,
    );
    if (delay === 0) {
      this.#again(cause);
      return;
    }
    // Callers need not hear of a fall that is soon over, but must of a server that does not start.
    const soon = ranFor !== undefined && delay <= SOON_MS;
    this.nextStart = {
      at: clock.now() + delay,
      soon,
      cancel: clock.after(delay, () => this.#again(cause)),
    };
    this.#setPhase(crashLoop ? 'failed' : 'waiting');
    if (!soon) this.#refuse();
  }

  #again(cause: RestartReason): void {
    this.#dropPlans();
    if (this.#isUnusable()) return;
    if (this.#spec().lazy && this.#awaited === undefined) {
      this.#rest();
      return;
    }
    this.#count(cause);
    this.#start();
  }

  /** An unusable server fails once: only another configuration can change that. */
  #isUnusable(): boolean {
    const { launch } = this.#spec();
    if (launch.kind !== 'unusable') return false;
    this.reason = this.#parts.redact(launch.problem.replace(/\.$/, ''), this.#spec().name);
    this.#logs.fromManager('error', `not started: ${this.reason}`);
    this.health.down();
    this.#setPhase('failed');
    return true;
  }

  #rest(): void {
    this.#dropPlans();
    this.health.rest();
    this.#setPhase('idle');
  }

  #refuse(): void {
    this.#awaited?.reject(this.unavailable());
    this.#awaited = undefined;
  }

  #dropPlans(): void {
    this.#attempt?.abort();
    this.#attempt = undefined;
    this.nextStart?.cancel();
    this.nextStart = undefined;
  }

  #count(reason: RestartReason): void {
    this.restarts += 1;
    this.#parts.onRestart(this.#spec().name, reason);
  }

  #setPhase(phase: ServerPhase): void {
    if (this.phase === phase) return;
    this.phase = phase;
    this.#parts.emit({ kind: 'phase-changed', server: this.#spec().name, phase });
  }
}

function describe({ pid, peer }: Session): string {
  const process = pid === undefined ? '' : `, process ${pid}`;
  return `${peer.name} ${peer.version}, protocol ${peer.protocolVersion}${process}`;
}

/** Its rejection is somebody's concern only if somebody waits. */
function handled<Value>(later: PromiseWithResolvers<Value>): PromiseWithResolvers<Value> {
  later.promise.catch(() => {});
  return later;
}
