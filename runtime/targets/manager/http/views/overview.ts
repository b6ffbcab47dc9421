import { rfc3339 } from '#core/time/rfc3339.ts';
import type { CallStatistics } from '../../calls/metrics.ts';
import { maskUrl } from '../../config/mask-values.ts';
import type { Launch } from '../../config/spec.ts';
import type { ManagedServer } from '../../supervisor/managed-server.ts';
import type { ServerUsage } from '../../supervisor/usage-sampler.ts';
import { compact } from './compact.ts';
import { statusView } from './server-view.ts';

/** A server for operators: its status, its calls, and what its processes use. */
export const overviewView = (
  server: ManagedServer,
  calls: CallStatistics,
  usage: ServerUsage | undefined,
) => ({
  ...statusView(server),
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
