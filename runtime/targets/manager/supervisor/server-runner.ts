import { AppError, messageOf } from '#contract/errors.ts';
import { planRestart } from '#core/limits/restart-policy.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { ServerPhase } from './managed-server.ts';
import { HealthMonitor } from './health-monitor.ts';
import type { CloseReason } from '../upstream/connection.ts';
import { outputOf } from '../upstream/start-extension.ts';
import { type Session } from './session.ts';
import { openSession, type SessionStart } from './open-session.ts';
import type { RestartReason, ServerParts } from './parts.ts';
import type { WritableServerLogs } from './server-logs.ts';

/** Why a server is not running: its last failure, or the status of its package's installation. */
class ServerReason {
  readonly #redact: (text: string) => string;
  /** The last failure is kept while the server restarts. */
  #failure: { readonly text?: string; readonly lines: readonly string[] } = { lines: [] };
  #progress: string | undefined;

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  get text(): string | undefined {
    return this.#progress ?? this.#failure.text;
  }

  /** Output of the server or its installation about the failure. */
  get lines(): readonly string[] {
    return this.#progress === undefined ? this.#failure.lines : [];
  }

  /** Records a failure. Returns its text, to be used within longer sentences. */
  fail(message: string, lines: readonly string[] = []): string {
    const text = this.#redact(message.replace(/\.$/, ''));
    this.#progress = undefined;
    this.#failure = { text, lines: lines.map((line) => this.#redact(line)) };
    return text;
  }

  /** Sets the installation status; undefined clears it. */
  install(progress: string | undefined): void {
    this.#progress = progress === undefined ? undefined : this.#redact(progress);
  }
}

/** Background work that must finish before the manager exits. */
class PendingWork {
  readonly #pending = new Set<Promise<unknown>>();

  track<Value>(work: Promise<Value>): Promise<Value> {
    this.#pending.add(work);
    const remove = (): void => void this.#pending.delete(work);
    work.then(remove, remove);
    return work;
  }

  /** Resolves when all work is settled, including work added in the meantime. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }
}

/** Maximum restart delay that callers wait for; with a longer delay, their calls are rejected. */
const SOON_MS = 1000;

interface NextStart {
  readonly at: number;
  /** Whether callers wait for this start. */
  readonly isSoon: boolean;
  readonly cancel: () => void;
}

/**
 * Starts a server, and restarts it when it exits. At any time, at most one session is current and at most one
 * start is in progress.
 */
export class ServerRunner {
  readonly health: HealthMonitor;
  readonly why: ServerReason;
  phase: ServerPhase = 'idle';
  session: Session | undefined;
  restarts = 0;
  nextStart: NextStart | undefined;
  isStopped = false;
  readonly #parts: ServerParts;
  readonly #logs: WritableServerLogs;
  readonly #spec: () => ServerSpec;
  #attempt: AbortController | undefined;
  readonly #stopped = new AbortController();
  /** The next session, for callers waiting for it. */
  #awaited: PromiseWithResolvers<Session> | undefined;
  #failures = 0;
  /** Sessions that are opening or closing, so that no process outlives the manager. */
  readonly #ending = new PendingWork();
  readonly #retiring = new Set<Session>();

  constructor(spec: () => ServerSpec, parts: ServerParts, logs: WritableServerLogs) {
    this.#spec = spec;
    this.#parts = parts;
    this.#logs = logs;
    this.why = new ServerReason((text) => parts.redact(text, spec().name));
    this.health = new HealthMonitor({
      settings: parts.settings,
      clock: parts.clock,
      requestMs: () => spec().timeouts.request,
      onHung: (session) => this.#abandon(session),
    });
  }

  /** Whether the server failed to start or exited immediately, so that a reload cannot make its state worse. */
  get isFailing(): boolean {
    return this.session === undefined && (this.#failures > 0 || this.#spec().launch.kind === 'unusable');
  }

  /** Whether a start is in progress, including the package's installation. */
  get isStarting(): boolean {
    return this.phase === 'starting' || this.phase === 'installing';
  }

  /** Starts the server, or a lazy server only if a caller is waiting for it. */
  begin(): void {
    if (this.#isUnusable()) return;
    if (this.#spec().lazy && this.#awaited === undefined) this.#setIdle();
    else this.#start();
  }

  /** Restarts the server immediately, and clears earlier failures. */
  restartNow(reason: RestartReason): void {
    if (this.isStopped) throw this.unavailable();
    this.#failures = 0;
    this.#restart(reason);
  }

  /**
   * Returns the next session, starting the server if necessary. Throws an UnavailableError if the next start
   * is not soon.
   */
  nextSession(): Promise<Session> {
    const { launch } = this.#spec();
    if (this.isStopped || launch.kind === 'unusable' || (this.nextStart && !this.nextStart.isSoon)) {
      throw this.unavailable();
    }
    this.#awaited ??= ignoreRejection(Promise.withResolvers<Session>());
    const { promise } = this.#awaited;
    if (!this.isStarting && !this.nextStart) this.#start();
    return promise;
  }

  /** Opens a session that can replace the current one, which is not affected. */
  async open(spec: ServerSpec, { signal, onInstalling }: SessionStart): Promise<Session> {
    const both = AbortSignal.any([signal, this.#stopped.signal]);
    return this.#ending.track(openSession(spec, this.#parts, this.#logs, { signal: both, onInstalling }));
  }

  /** Makes a session the current one. The previous session finishes its requests and closes. */
  replace(session: Session, reason?: RestartReason): void {
    if (reason) this.#count(reason);
    this.dropSession();
    this.#cancelStart();
    this.session = session;
    this.#logs.fromManager('info', `started: ${describe(session)}`);
    this.#setPhase('running');
    this.health.watch(session);
    void session.closed.then((end) => this.#ended(session, end));
    this.#awaited?.resolve(session);
    this.#awaited = undefined;
    this.#parts.emit({ kind: 'session-opened', server: this.#spec().name });
  }

  /** Removes the current session, which finishes its requests and closes. */
  dropSession(): void {
    const { session } = this;
    this.session = undefined;
    if (!session) return;
    this.#retiring.add(session);
    const ending = session.retire().finally(() => this.#retiring.delete(session));
    void this.#ending.track(ending);
  }

  /** Stops a lazy server until the next call. */
  stopIdle(reason: string): void {
    this.dropSession();
    this.#setIdle();
    this.#logs.fromManager('info', reason);
  }

  /** Stops the server without restarting it; resolves when all its sessions are closed. */
  async stop({ gracefully }: { readonly gracefully: boolean }): Promise<void> {
    this.isStopped = true;
    this.#stopped.abort();
    this.#cancelStart();
    this.health.stop();
    this.dropSession();
    this.#setPhase('stopping');
    this.#rejectWaiting();
    if (!gracefully) for (const session of this.#retiring) void this.#ending.track(session.close());
    await this.#ending.settled();
  }

  unavailable(): AppError {
    if (this.#spec().launch.kind === 'unusable') {
      return new AppError('UnavailableError', `server not available: ${this.#spec().name}: ${this.why.text}`);
    }
    const left = (this.nextStart?.at ?? 0) - this.#parts.clock.now();
    const retryAfterSeconds = Math.max(1, Math.ceil(left / 1000));
    const why = this.isStopped ? 'the server was stopped' : (this.why.text ?? 'the server is starting');
    const message = `server not available: ${this.#spec().name}: ${why}; retry in ${retryAfterSeconds} s`;
    return new AppError('UnavailableError', this.#parts.redact(message, this.#spec().name), {
      retryAfterSeconds,
    });
  }

  #start(): void {
    this.#cancelStart();
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#setPhase('starting');
    void this.#finishStart(attempt);
  }

  async #finishStart(attempt: AbortController): Promise<void> {
    try {
      const session = await this.open(this.#spec(), {
        signal: attempt.signal,
        onInstalling: (progress) => this.#installing(attempt, progress),
      });
      if (this.#attempt === attempt) this.replace(session);
      else void this.#ending.track(session.close());
    } catch (error) {
      if (this.#attempt !== attempt) return;
      this.#attempt = undefined;
      this.#onFailure('failed-start', `failed to start: ${messageOf(error)}`, { lines: outputOf(error) });
    }
  }

  #installing(attempt: AbortController, progress: string | undefined): void {
    if (this.#attempt !== attempt) return;
    this.why.install(progress);
    this.#setPhase(progress === undefined ? 'starting' : 'installing');
  }

  #ended(session: Session, { message, lines = [] }: CloseReason): void {
    if (this.session !== session) return;
    this.session = undefined;
    this.#onFailure('ended', message, { lines, session });
  }

  #abandon(session: Session): void {
    if (this.session !== session) return;
    this.session = undefined;
    void this.#ending.track(session.close());
    this.#onFailure('hung', 'stopped responding', { session });
  }

  #onFailure(cause: RestartReason, message: string, { session, lines = [] }: FailedRun): void {
    if (this.isStopped) return;
    const { clock, random } = this.#parts;
    const run = session && { ranFor: clock.now() - session.startedAt, responses: session.responses };
    const { failures, delay, crashLoop } = planRestart(this.#failures, run, random);
    this.#failures = failures;
    const reason = this.why.fail(message, lines);
    this.health.down();
    const when = delay === 0 ? 'now' : `in ${(delay / 1000).toFixed(1)} s`;
    const count = crashLoop ? ` after ${failures} consecutive failures` : '';
    this.#logs.fromManager(crashLoop ? 'error' : 'warn', `${reason}; restarting ${when}${count}`);
    if (delay === 0) {
      this.#restart(cause);
      return;
    }
    // Callers wait during a short interruption of a running server, but not for a server that fails to start.
    const isSoon = run !== undefined && delay <= SOON_MS;
    this.nextStart = {
      at: clock.now() + delay,
      isSoon,
      cancel: clock.after(delay, () => this.#restart(cause)),
    };
    this.#setPhase(crashLoop ? 'failed' : 'waiting');
    if (!isSoon) this.#rejectWaiting();
  }

  #restart(cause: RestartReason): void {
    this.#cancelStart();
    if (this.#isUnusable()) return;
    if (this.#spec().lazy && this.#awaited === undefined) {
      this.#setIdle();
      return;
    }
    this.#count(cause);
    this.#start();
  }

  /** Whether the server is unusable. It then fails without retries, because only a configuration change can help. */
  #isUnusable(): boolean {
    const { launch } = this.#spec();
    if (launch.kind !== 'unusable') return false;
    this.#logs.fromManager('error', `not started: ${this.why.fail(launch.problem)}`);
    this.health.down();
    this.#setPhase('failed');
    return true;
  }

  #setIdle(): void {
    this.#cancelStart();
    this.health.pause();
    this.#setPhase('idle');
  }

  #rejectWaiting(): void {
    this.#awaited?.reject(this.unavailable());
    this.#awaited = undefined;
  }

  #cancelStart(): void {
    this.#attempt?.abort();
    this.#attempt = undefined;
    this.why.install(undefined);
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

/** What failed: a session, or a start. */
interface FailedRun {
  readonly session?: Session | undefined;
  readonly lines?: readonly string[] | undefined;
}

function describe({ pid, peer }: Session): string {
  const process = pid === undefined ? '' : `, PID ${pid}`;
  return `${peer.name} ${peer.version}, protocol ${peer.protocolVersion}${process}`;
}

/** Prevents an "unhandled rejection" if no caller waits for the promise. */
function ignoreRejection<Value>(deferred: PromiseWithResolvers<Value>): PromiseWithResolvers<Value> {
  deferred.promise.catch(() => {});
  return deferred;
}
