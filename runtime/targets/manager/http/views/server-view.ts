import { rfc3339 } from '#core/time/rfc3339.ts';
import type { LogLine, ManagedServer } from '../../supervisor/managed-server.ts';
import { compact } from './compact.ts';
import type { AuditState } from '../../calls/audit.ts';
import type { CallStatistics } from '../../calls/metrics.ts';
import { maskUrl } from '../../config/mask-values.ts';
import type { Launch } from '../../config/spec.ts';
import type { ScanGuard } from '../../scanning/guard.ts';
import type { ServerUsage } from '../../supervisor/usage-sampler.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

export function healthView(server: ManagedServer, scans: Pick<ScanGuard, 'definitionFindings'>) {
  const { status, lastChecked, lastSuccessful, latencyNs } = server.health();
  const { warnings, listsReadAt } = server.status();
  return {
    name: server.name,
    status,
    ...compact({
      lastChecked: time(lastChecked),
      lastSuccessful: time(lastSuccessful),
      latency: status === 'ok' && latencyNs !== undefined ? formatGoDuration(latencyNs) : undefined,
      signIn: server.signIn(),
      listsReadAt: time(listsReadAt),
      warnings: [...warnings, ...server.listFaults.all(), ...server.pinFindings.faults()],
      ...changesOf(server),
      findings: scans
        .definitionFindings(server.name)
        .map(({ kind, name, rule, outcome }) => ({ kind, name, rule, outcome })),
    }),
  };
}

/** Items that differ from their pins. */
export const changesOf = ({ pinFindings }: ManagedServer) => ({
  changedTools: pinFindings.changes(),
  changedItems: pinFindings.itemChanges(),
});

export function statusView(server: ManagedServer, scans: Pick<ScanGuard, 'definitionFindings'>) {
  const { phase, pid, startedAt, restarts, reason, reasonLines, nextStartAt, running, queued, ...known } =
    server.status();
  return {
    ...healthView(server, scans),
    phase,
    ...compact({ pid, startedAt: time(startedAt) }),
    restarts,
    ...compact({
      reason,
      reasonLines,
      nextStartAt: time(nextStartAt),
      protocolVersion: known.protocolVersion,
      server: known.server,
    }),
    running,
    queued,
    ...compact({ instances: server.instances() }),
  };
}

/** Whether calls are missing in the audit log; undefined if calls are not audited. */
export const auditView = (audit: AuditState | undefined) =>
  audit && { lost: audit.lost(), ...compact({ problem: audit.problem() }) };

export const logLineView = ({ at, source, text, user }: LogLine) => ({
  at: rfc3339(at),
  source,
  text,
  ...compact({ user }),
});

const time = (milliseconds: number | undefined): string | undefined =>
  milliseconds === undefined ? undefined : rfc3339(milliseconds);

/** A server as shown to operators: its status, its calls, and its resource usage. */
export const overviewView = (
  server: ManagedServer,
  calls: CallStatistics,
  usage: ServerUsage | undefined,
  scans: Pick<ScanGuard, 'definitionFindings'>,
) => ({
  ...statusView(server, scans),
  kind: kindOf(server.spec().launch),
  start: startOf(server.spec().launch),
  calls: callsView(calls),
  ...(usage && { usage: usageView(usage) }),
  pinned: server.spec().pins !== undefined,
});

function kindOf(launch: Launch): 'process' | 'container' | 'remote' | 'unusable' {
  if (launch.kind !== 'process') return launch.kind;
  return launch.container === undefined ? 'process' : 'container';
}

/** Arguments can contain secrets, so only the program is returned. */
function startOf(launch: Launch): string {
  if (launch.kind === 'process') return launch.command;
  return launch.kind === 'remote' ? maskUrl(launch.url) : '';
}

const callsView = ({ calls, failed, p50, p95, p99, lastCalledAt }: CallStatistics) => ({
  calls,
  failed,
  ...compact({
    p50Ms: rounded(p50),
    p95Ms: rounded(p95),
    p99Ms: rounded(p99),
    lastCalledAt: lastCalledAt === undefined ? undefined : rfc3339(lastCalledAt),
  }),
});

const usageView = ({ processes, memory, seconds, processors }: ServerUsage) => ({
  processes,
  memoryBytes: memory,
  cpuSeconds: rounded(seconds),
  ...compact({ processors: rounded(processors) }),
});

const rounded = <Value extends number | undefined>(value: Value): Value =>
  (value === undefined ? undefined : Math.round(value * 1000) / 1000) as Value;

const MICROSECOND = 1_000;
const MILLISECOND = 1_000_000;
const SECOND = 1_000_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Formats nanoseconds like Go: `350.5µs`, `1.234567ms`, `1m0.5s`. https://pkg.go.dev/time#Duration.String
 * @internal Exported for tests only.
 */
export function formatGoDuration(nanoseconds: number): string {
  const whole = Math.round(Math.abs(nanoseconds));
  if (whole === 0) return '0s';
  return (nanoseconds < 0 ? '-' : '') + positive(whole);
}

function positive(nanoseconds: number): string {
  if (nanoseconds < MICROSECOND) return `${nanoseconds}ns`;
  if (nanoseconds < MILLISECOND) return `${decimal(nanoseconds, MICROSECOND)}µs`;
  if (nanoseconds < SECOND) return `${decimal(nanoseconds, MILLISECOND)}ms`;
  const hours = Math.floor(nanoseconds / HOUR);
  const minutes = Math.floor((nanoseconds % HOUR) / MINUTE);
  const seconds = `${decimal(nanoseconds % MINUTE, SECOND)}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

/** Divides by a power of ten exactly; floating-point division would round. */
function decimal(nanoseconds: number, unit: number): string {
  const fraction = String(nanoseconds % unit).padStart(String(unit).length - 1, '0');
  const digits = trimEndOf(fraction, '0');
  const whole = Math.floor(nanoseconds / unit);
  return digits === '' ? String(whole) : `${whole}.${digits}`;
}
