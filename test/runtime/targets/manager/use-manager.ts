import { afterEach } from 'vitest';
import type { Clock } from '#platform/clock.ts';
import { ANYONE, type ToolCaller } from '#manager/access/caller.ts';
import type { ServerCall } from '#manager/calls/call.ts';
import type { CallAuditLog } from '#manager/calls/audit.ts';
import { type CallLimits, createCalls, type OpenedCalls } from '#manager/calls/calls.ts';
import { createRedactor } from '#serve/redact.ts';
import type { Tracer } from '#serve/telemetry/tracer.ts';
import type { ServerSpec } from '#manager/config/spec.ts';
import type { ManagedServer, ServerPhase, Supervisor } from '#manager/supervisor/managed-server.ts';
import type { HealthSettings } from '#manager/supervisor/health-monitor.ts';
import { createSupervisor } from '#manager/supervisor/supervisor.ts';
import type { PackageInstaller } from '#manager/upstream/packages/package-installer.ts';
import { openSavedLists } from '#manager/saved-lists/saved-lists.ts';
import { openConnection } from '#manager/upstream/open-connection.ts';
import { namedSecrets } from '../../../helpers/secrets.ts';
import { type TestKernel, testKernel } from '../../../helpers/test-kernel.ts';

export interface TestManagerOptions {
  readonly clock?: Clock;
  readonly secrets?: readonly string[];
  /** Read at each check, so that a test can change them. */
  readonly settings?: HealthSettings;
  readonly limits?: CallLimits;
  readonly audit?: CallAuditLog;
  readonly tracer?: Tracer;
  readonly installer?: PackageInstaller;
  /** Folder for the lists of lazy servers. Default: they are only kept in memory. */
  readonly savedLists?: string;
}

export interface TestManager {
  readonly kernel: TestKernel;
  readonly supervisor: Supervisor;
  readonly calls: OpenedCalls;
  readonly server: (name: string) => ManagedServer;
  /** Resolves when the server reaches that phase. */
  readonly phase: (name: string, phase: ServerPhase) => Promise<void>;
  /** Resolves with the first matching line of the server's log, past or future. */
  readonly logged: (name: string, pattern: RegExp) => Promise<string>;
}

const HEALTH: HealthSettings = { healthMs: 3000, healthIntervalMs: 10_000 };

/** Starts managers with real servers, and stops them after each test. */
export function useManager(): (servers: readonly ServerSpec[], options?: TestManagerOptions) => TestManager {
  const running: Pick<TestManager, 'supervisor' | 'calls'>[] = [];
  afterEach(async () => {
    const started = running.splice(0);
    await Promise.all(started.map(({ supervisor }) => supervisor.close()));
    // Lists are also saved when their servers stop.
    await Promise.all(started.map(({ calls }) => calls.close()));
  });
  return (
    servers,
    { clock, secrets = [], settings = HEALTH, limits, audit, tracer, installer, savedLists } = {},
  ) => {
    const kernel = testKernel();
    const redact = createRedactor(namedSecrets(...secrets));
    const supervisor = createSupervisor({
      open: openConnection,
      ...(installer && { installer }),
      settings,
      log: kernel.log,
      redact: redact.text,
      servers,
      metrics: kernel.metrics,
      ...(clock && { clock }),
      random: () => 0.5,
    });
    const server = (name: string): ManagedServer => {
      const found = supervisor.get(name);
      if (!found) throw new Error(`There is no server ${name}.`);
      return found;
    };
    const saved = savedLists === undefined ? undefined : openSavedLists(savedLists, kernel.log);
    const options = { supervisor, redact, audit, limits, metrics: kernel.metrics, clock, tracer };
    const calls = createCalls({ ...options, savedLists: saved });
    running.push({ supervisor, calls });
    return {
      kernel,
      supervisor,
      calls,
      server,
      phase: (name, phase) => reached(supervisor, server(name), phase),
      logged: (name, pattern) => loggedLine(server(name), pattern),
    };
  };
}

/** A call to a server by an unrestricted caller. */
export const callOf = (
  server: string,
  changes: Partial<ServerCall> & { caller?: ToolCaller } = {},
): ServerCall => ({
  caller: ANYONE,
  requestId: 'test',
  server,
  ...changes,
});

async function reached(supervisor: Supervisor, server: ManagedServer, phase: ServerPhase): Promise<void> {
  if (server.status().phase === phase) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const forget = supervisor.subscribe((event) => {
    if (event.kind === 'phase-changed' && event.server === server.name && event.phase === phase) resolve();
  });
  await promise;
  forget();
}

async function loggedLine({ logs }: ManagedServer, pattern: RegExp): Promise<string> {
  const past = logs.last(Infinity).find(({ text }) => pattern.test(text));
  if (past) return past.text;
  const { promise, resolve } = Promise.withResolvers<string>();
  const forget = logs.follow(({ text }) => pattern.test(text) && resolve(text));
  const text = await promise;
  forget();
  return text;
}
