import { Counter, Gauge, type Registry } from 'prom-client';
import type { HealthStatus, ManagedServer } from './managed-server.ts';
import type { RestartReason } from './parts.ts';

const STATUSES: readonly HealthStatus[] = ['ok', 'timeout', 'unreachable', 'unknown'];

/** Creates the metrics of servers. They are computed when they are read, so that removed servers disappear from them. */
export function observeServers(
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
  gauge('mcp_calls_running', 'Running calls.', (server) => server.turns.running);
  gauge('mcp_calls_queued', 'Queued calls.', (server) => server.turns.waiting);
  gauge(
    'mcp_server_changed_tools',
    'Tools that are new or differ from their pinned definition.',
    (server) => server.toolFindings.changes().length,
  );
  void new Gauge({
    name: 'mcp_server_health',
    help: 'Result of the last health check: 1 for the current status, 0 for the others.',
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
    help: 'Restarts of the server.',
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
