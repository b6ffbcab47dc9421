import type { Supervisor } from '../supervisor/managed-server.ts';
import type { CallKind, CallObserver, CallOutcome } from './metrics.ts';

/** Numbers about the calls of a server since the start of the manager. Percentiles are those of the latest calls. */
export interface CallStatistics {
  readonly calls: number;
  /** Calls that ended with an error, including errors of tools. */
  readonly failed: number;
  /** Durations in milliseconds; undefined before the first call. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
  /** Time of the latest call in milliseconds since 1970. */
  readonly lastCalledAt: number | undefined;
}

export interface StatisticsObserver extends CallObserver {
  readonly of: (server: string) => CallStatistics;
}

/** Number of calls that percentiles are computed from. */
const MAX_SAMPLES = 256;
/** Lists and checks are not what users call. */
const COUNTED: ReadonlySet<CallKind> = new Set(['tool', 'prompt', 'resource']);
const NONE: CallStatistics = {
  calls: 0,
  failed: 0,
  p50: undefined,
  p95: undefined,
  p99: undefined,
  lastCalledAt: undefined,
};

/** Keeps the durations of the latest calls of each server. Removed servers are removed. */
export function createCallStatistics(supervisor: Supervisor, now: () => number): StatisticsObserver {
  const known = new Map<string, Recent>();
  supervisor.subscribe(({ kind }) => {
    if (kind !== 'servers-changed') return;
    for (const server of known.keys()) if (!supervisor.get(server)) known.delete(server);
  });
  return {
    onCall({ server, kind, outcome, seconds }) {
      if (!COUNTED.has(kind) || !supervisor.get(server)) return;
      const recent = known.get(server) ?? new Recent();
      known.set(server, recent);
      recent.add(seconds * 1000, outcome, now());
    },
    of: (server) => known.get(server)?.summary() ?? NONE,
  };
}

class Recent {
  #calls = 0;
  #failed = 0;
  #lastCalledAt = 0;
  readonly #samples = new Float64Array(MAX_SAMPLES);
  #summary: CallStatistics | undefined;

  add(milliseconds: number, outcome: CallOutcome, now: number): void {
    this.#samples[this.#calls % MAX_SAMPLES] = milliseconds;
    this.#calls += 1;
    if (outcome !== 'ok') this.#failed += 1;
    this.#lastCalledAt = now;
    this.#summary = undefined;
  }

  summary(): CallStatistics {
    if (this.#summary) return this.#summary;
    const sorted = this.#samples.slice(0, Math.min(this.#calls, MAX_SAMPLES)).sort();
    const percentile = (share: number): number | undefined => sorted[Math.ceil(share * sorted.length) - 1];
    this.#summary = {
      calls: this.#calls,
      failed: this.#failed,
      p50: percentile(0.5),
      p95: percentile(0.95),
      p99: percentile(0.99),
      lastCalledAt: this.#lastCalledAt,
    };
    return this.#summary;
  }
}
