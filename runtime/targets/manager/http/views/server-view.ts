import { formatGoDuration } from './go-duration.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { LogLine, ManagedServer } from '../../supervisor/managed-server.ts';
import { compact } from './compact.ts';

export function healthView(server: ManagedServer) {
  const { status, lastChecked, lastSuccessful, latencyNs } = server.health();
  return {
    name: server.name,
    status,
    ...compact({
      lastChecked: time(lastChecked),
      lastSuccessful: time(lastSuccessful),
      latency: status === 'ok' && latencyNs !== undefined ? formatGoDuration(latencyNs) : undefined,
      signIn: server.signIn(),
      warnings: [...server.status().warnings, ...server.listFaults.all(), ...server.toolFindings.faults()],
      changedTools: server.toolFindings.changes(),
    }),
  };
}

export function statusView(server: ManagedServer) {
  const { phase, pid, startedAt, restarts, reason, reasonLines, nextStartAt, running, queued, ...known } =
    server.status();
  return {
    ...healthView(server),
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
  };
}

export const logLineView = ({ at, source, text }: LogLine) => ({ at: rfc3339(at), source, text });

const time = (milliseconds: number | undefined): string | undefined =>
  milliseconds === undefined ? undefined : rfc3339(milliseconds);
