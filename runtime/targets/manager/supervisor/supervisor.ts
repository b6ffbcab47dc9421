import { availableParallelism } from 'node:os';
import type { Registry } from 'prom-client';
import { AppError } from '#contract/errors.ts';
import { TurnQueue } from '#core/limits/turn-queue.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import { serverName } from '../config/server-name.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { AppliedChanges, ServerEvent, Supervisor } from './managed-server.ts';
import type { HealthSettings } from './health-monitor.ts';
import { observeServers } from './metrics.ts';
import { type Opening, openAll } from './open-all.ts';
import type { OpenConnection, ServerParts } from './parts.ts';
import { planChanges } from './plan-changes.ts';
import { SupervisedServer } from './supervised-server.ts';

/** Number of processes that start at the same time; a start is mostly processor time. */
const MAX_STARTS = Math.max(4, 2 * availableParallelism());

export interface SupervisorOptions {
  readonly open: OpenConnection;
  readonly settings: HealthSettings;
  readonly log: Logger;
  /** Redacts secrets in a text about a server. */
  readonly redact: (text: string, server: string) => string;
  readonly signInState?: ServerParts['signInState'];
  readonly installer?: ServerParts['installer'];
  /** Servers that start immediately in the background; the status shows those that fail. */
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
  /** Removed servers that still finish their calls. */
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
    get: (name) => servers.get(serverName(name)),
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
