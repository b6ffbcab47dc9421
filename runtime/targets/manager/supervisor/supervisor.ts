import { availableParallelism } from 'node:os';
import { type Registry, Counter, Gauge } from 'prom-client';
import { AppError, messageOf } from '#contract/errors.ts';
import { TurnQueue } from '#core/limits/turn-queue.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import { serverName } from '../config/server-name.ts';
import type { ServerSpec } from '../config/spec.ts';
import type {
  AppliedChanges,
  ServerEvent,
  Supervisor,
  HealthStatus,
  ManagedServer,
} from './managed-server.ts';
import type { HealthSettings } from './health-monitor.ts';
import type { OpenConnection, ServerParts, RestartReason } from './parts.ts';
import { SupervisedServer } from './supervised-server.ts';
import type { Session } from './session.ts';
import { needsNewSession } from './needs-new-session.ts';
import { isDeepStrictEqual } from 'node:util';

/** Number of processes that start concurrently; starting a process is mostly CPU-bound. */
const MAX_STARTS = Math.max(4, 2 * availableParallelism());

export interface SupervisorOptions {
  readonly open: OpenConnection;
  readonly settings: HealthSettings;
  readonly log: Logger;
  /** Redacts secrets in a text about a server. */
  readonly redact: (text: string, server: string) => string;
  readonly signInState?: ServerParts['signInState'];
  readonly installer?: ServerParts['installer'];
  readonly userValues?: ServerParts['userValues'];
  /** Servers to start immediately in the background; the status shows which of them fail. */
  readonly servers?: readonly ServerSpec[];
  readonly metrics?: Registry;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const servers = new Map<string, SupervisedServer>();
  const listeners = new Set<(event: ServerEvent) => void>();
  const emit = (event: ServerEvent): void => {
    for (const listener of listeners) listener(event);
  };
  const restarted = options.metrics && observeServers(options.metrics, servers);
  const parts: ServerParts = {
    ...options,
    starts: new TurnQueue(MAX_STARTS, Number.POSITIVE_INFINITY),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    emit,
    onRestart: (server, reason) => restarted?.(server, reason),
  };
  /** Removed servers that are still finishing their calls. */
  const stopping = new Set<SupervisedServer>();
  const closing = new AbortController();
  let lastChange: Promise<unknown> = Promise.resolve();

  const add = (server: SupervisedServer): void => void servers.set(server.name, server);
  const remove = (name: string): void => {
    const server = servers.get(name);
    if (!server) return;
    servers.delete(name);
    stopping.add(server);
    void server.stop({ gracefully: true }).finally(() => stopping.delete(server));
  };

  async function change(specs: readonly ServerSpec[]): Promise<AppliedChanges> {
    if (closing.signal.aborted) throw new AppError('UnavailableError', 'The manager is stopping.');
    const current = Array.from(servers.values(), (server) => server.spec());
    const plan = planChanges(current, specs);
    const added = plan.added.map((spec) => ({ spec, server: new SupervisedServer(spec, parts) }));
    const relaunched = plan.relaunched.flatMap((spec) => {
      const server = servers.get(spec.name);
      return server ? [{ spec, server }] : [];
    });
    const working = relaunched.filter(({ server }) => !server.isFailing);
    const mustOpen = ({ spec }: Opening): boolean => !spec.lazy || spec.launch.kind === 'unusable';
    const sessions = await openAll([...added, ...working].filter(mustOpen), closing.signal);

    for (const name of plan.removed) remove(name);
    for (const { spec, server } of relaunched) server.update(spec, sessions.get(spec.name));
    for (const spec of plan.updated) servers.get(spec.name)?.update(spec, undefined);
    for (const { spec, server } of added) {
      add(server);
      const session = sessions.get(spec.name);
      if (session) server.adopt(session);
      else server.begin();
    }
    for (const name of [...plan.unchanged, ...plan.updated.map(nameOf)]) servers.get(name)?.retry();
    if (added.length + plan.removed.length + plan.relaunched.length + plan.updated.length > 0) {
      emit({ kind: 'servers-changed' });
    }
    return {
      added: plan.added.map(nameOf),
      removed: plan.removed,
      restarted: plan.relaunched.map(nameOf),
      updated: plan.updated.map(nameOf),
    };
  }

  for (const spec of options.servers ?? []) add(new SupervisedServer(spec, parts));
  for (const server of servers.values()) server.begin();

  return {
    names: () => [...servers.keys()].sort(),
    // Most names are already normalized.
    get: (name) => servers.get(name) ?? servers.get(serverName(name)),
    apply(specs) {
      const applied = lastChange.then(() => change(specs));
      lastChange = applied.catch(() => {});
      return applied;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      closing.abort();
      await lastChange;
      const all = [...servers.values(), ...stopping];
      await Promise.all(all.map((server) => server.stop({ gracefully: false })));
    },
  };
}

const nameOf = ({ name }: ServerSpec): string => name;

interface Opening {
  readonly server: SupervisedServer;
  readonly spec: ServerSpec;
}

/** Opens sessions for several servers concurrently: all of them or, if one fails, none. */
async function openAll(
  openings: readonly Opening[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Session>> {
  const oneFailed = new AbortController();
  const failures: string[] = [];
  const sessions = new Map<string, Session>();
  await Promise.all(
    openings.map(async ({ server, spec }) => {
      try {
        sessions.set(spec.name, await server.open(spec, AbortSignal.any([signal, oneFailed.signal])));
      } catch (error) {
        // The other starts are aborted after the first failure, so their errors carry no information.
        if (!oneFailed.signal.aborted)
          failures.push(`Server ${spec.name} failed to start: ${messageOf(error).replace(/\.$/, '')}`);
        oneFailed.abort();
      }
    }),
  );
  const [failure] = failures;
  if (failure === undefined) return sessions;
  await Promise.all(Array.from(sessions.values(), (session) => session.close()));
  throw new AppError('ConfigError', `${failure}. No changes were applied.`);
}

interface PlannedChanges {
  readonly added: readonly ServerSpec[];
  readonly removed: readonly string[];
  /** Servers with a changed launch, which requires a restart. */
  readonly relaunched: readonly ServerSpec[];
  /** Servers with other changes only. */
  readonly updated: readonly ServerSpec[];
  readonly unchanged: readonly string[];
}

/**
 * Compares two configurations by server name. The order of arguments is significant, the order of environment
 * variables is not.
 */
function planChanges(before: readonly ServerSpec[], after: readonly ServerSpec[]): PlannedChanges {
  const old = new Map(before.map((spec) => [spec.name, spec]));
  const names = new Set(after.map(({ name }) => name));
  const plan: {
    added: ServerSpec[];
    relaunched: ServerSpec[];
    updated: ServerSpec[];
    unchanged: string[];
  } = { added: [], relaunched: [], updated: [], unchanged: [] };
  for (const spec of after) {
    const current = old.get(spec.name);
    if (current === undefined) plan.added.push(spec);
    else if (needsNewSession(current, spec)) plan.relaunched.push(spec);
    else if (!isDeepStrictEqual(current, spec)) plan.updated.push(spec);
    else plan.unchanged.push(spec.name);
  }
  return { ...plan, removed: before.map(({ name }) => name).filter((name) => !names.has(name)) };
}

const STATUSES: readonly HealthStatus[] = ['ok', 'timeout', 'unreachable', 'unknown'];

/** Creates the server metrics. They are computed when read, so that removed servers disappear from them. */
function observeServers(
  registry: Registry,
  servers: ReadonlyMap<string, ManagedServer>,
): (server: string, reason: RestartReason) => void {
  const registers = [registry];
  const gauge = (name: string, help: string, value: (server: ManagedServer) => number): void => {
    void new Gauge({
      name,
      help,
      labelNames: ['server'],
      registers,
      collect() {
        this.reset();
        for (const server of servers.values()) this.set({ server: server.name }, value(server));
      },
    });
  };
  gauge('mcp_server_up', 'Whether the server is connected.', (server) =>
    server.status().phase === 'running' ? 1 : 0,
  );
  gauge('mcp_calls_running', 'Running calls.', (server) => server.status().running);
  gauge('mcp_calls_queued', 'Queued calls.', (server) => server.status().queued);
  gauge(
    'mcp_server_instances',
    'Processes or connections of a server with one per user; 0 for other servers.',
    (server) => server.instances()?.running ?? 0,
  );
  gauge(
    'mcp_server_changed_tools',
    'Tools that are new or differ from their pinned definition.',
    (server) => server.pinFindings.changes().length,
  );
  gauge(
    'mcp_server_changed_items',
    'Prompts, resources and resource templates that are new or differ from their pinned definition.',
    (server) => server.pinFindings.itemChanges().length,
  );
  void new Gauge({
    name: 'mcp_server_health',
    help: 'Result of the last health check: 1 for the current status, 0 for all others.',
    labelNames: ['server', 'status'],
    registers,
    collect() {
      this.reset();
      for (const server of servers.values()) {
        const now = server.health().status;
        for (const status of STATUSES) this.set({ server: server.name, status }, status === now ? 1 : 0);
      }
    },
  });
  const counts = new Map<string, Map<RestartReason, number>>();
  void new Counter({
    name: 'mcp_server_restarts_total',
    help: 'Server restarts.',
    labelNames: ['server', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const [server, reasons] of counts) {
        if (!servers.has(server)) counts.delete(server);
        else for (const [reason, count] of reasons) this.inc({ server, reason }, count);
      }
    },
  });
  return (server, reason) => {
    const reasons = counts.get(server) ?? new Map<RestartReason, number>();
    counts.set(server, reasons.set(reason, (reasons.get(reason) ?? 0) + 1));
  };
}
