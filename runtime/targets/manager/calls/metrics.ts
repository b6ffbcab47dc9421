import { Counter, Histogram, type Registry } from 'prom-client';
import type { ErrorCode } from '../../../contract/errors.ts';
import type { Supervisor } from '../supervisor/managed-server.ts';

const CALL_KINDS = ['tool', 'prompt', 'resource', 'list', 'other'] as const;
export type CallKind = (typeof CALL_KINDS)[number];
/** The outcome of a call; `tool-error` is a result with `isError`. */
export type CallOutcome = 'ok' | 'tool-error' | ErrorCode;

export interface CallObserver {
  readonly onCall: (server: string, kind: CallKind, outcome: CallOutcome, seconds: number) => void;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Creates the metrics of calls. Those of a removed server are removed, too. */
export function observeCalls(registry: Registry, supervisor: Supervisor): CallObserver {
  const registers = [registry];
  const calls = new Counter({
    name: 'mcp_calls_total',
    help: 'Calls to servers.',
    labelNames: ['server', 'kind', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'mcp_call_duration_seconds',
    help: 'Duration of calls, including the time in the queue.',
    labelNames: ['server', 'kind'],
    buckets: SECONDS,
    registers,
  });
  const seen = new Map<string, Set<CallOutcome>>();
  const forgetRemoved = (): void => {
    for (const [server, outcomes] of seen) {
      if (supervisor.get(server)) continue;
      seen.delete(server);
      for (const kind of CALL_KINDS) {
        durations.remove({ server, kind });
        for (const outcome of outcomes) calls.remove({ server, kind, outcome });
      }
    }
  };
  supervisor.subscribe(({ kind }) => {
    if (kind === 'servers-changed') forgetRemoved();
  });
  return {
    onCall(server, kind, outcome, seconds) {
      // A call can end after its server was removed.
      if (!supervisor.get(server)) return;
      let outcomes = seen.get(server);
      if (!outcomes) seen.set(server, (outcomes = new Set()));
      outcomes.add(outcome);
      calls.inc({ server, kind, outcome });
      durations.observe({ server, kind }, seconds);
    },
  };
}
