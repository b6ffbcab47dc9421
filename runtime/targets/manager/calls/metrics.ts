import type { Registry } from 'prom-client';
import type { ErrorCode } from '#contract/errors.ts';
import { durationHistogram } from '#serve/durations.ts';
import { LabeledCounter } from '#serve/labeled-metrics.ts';
import type { Supervisor } from '../supervisor/managed-server.ts';

export const CALL_KINDS = ['tool', 'prompt', 'resource', 'list', 'other', 'script', 'task'] as const;
export type CallKind = (typeof CALL_KINDS)[number];
/** The outcome of a call; `tool-error` is a result with `isError`. */
export type CallOutcome = 'ok' | 'tool-error' | ErrorCode;

interface ObservedCall {
  readonly server: string;
  readonly kind: CallKind;
  /** The tool's name on its server; undefined if the server does not have it. */
  readonly tool: string | undefined;
  readonly outcome: CallOutcome;
  readonly seconds: number;
}

export interface CallObserver {
  readonly onCall: (call: ObservedCall) => void;
}

/** Maximum number of tools per server with separate metrics. Additional and unknown tools share one label. */
const MAX_TOOLS = 100;
const OTHER_TOOL = '_other';

/** Creates the call metrics. The metrics of a removed server are removed with it. */
export function observeCalls(registry: Registry, supervisor: Supervisor): CallObserver {
  const calls = new LabeledCounter(registry, {
    name: 'mcp_calls_total',
    help: 'Calls to servers.',
    labelNames: ['server', 'kind', 'outcome'],
  });
  const durations = durationHistogram(registry, {
    name: 'mcp_call_duration_seconds',
    help: 'Duration of calls, including the time in the queue.',
    labelNames: ['server', 'kind'],
  });
  const toolCalls = new LabeledCounter(registry, {
    name: 'mcp_tool_calls_total',
    help: `Tool calls by tool name on the server. At most ${MAX_TOOLS} tools per server have their own label.`,
    labelNames: ['server', 'tool', 'outcome'],
  });
  /** The tools with their own label, by server. */
  const known = new Map<string, Set<string>>();
  const forgetRemoved = (): void => {
    for (const server of known.keys()) {
      if (supervisor.get(server)) continue;
      known.delete(server);
      for (const metric of [calls, durations, toolCalls]) metric.remove({ server });
    }
  };
  supervisor.subscribe(({ kind }) => {
    if (kind === 'servers-changed') forgetRemoved();
  });
  return {
    onCall({ server, kind, tool, outcome, seconds }) {
      // A call can end after its server was removed.
      if (!supervisor.get(server)) return;
      let tools = known.get(server);
      if (!tools) known.set(server, (tools = new Set()));
      calls.inc({ server, kind, outcome });
      durations.observe({ server, kind }, seconds);
      if (kind === 'tool') toolCalls.inc({ server, tool: toolLabel(tools, tool), outcome });
    },
  };
}

function toolLabel(tools: Set<string>, tool: string | undefined): string {
  if (tool === undefined || (!tools.has(tool) && tools.size >= MAX_TOOLS)) return OTHER_TOOL;
  tools.add(tool);
  return tool;
}

/** Call statistics of a server since the manager started. Percentiles cover the latest calls. */
export interface CallStatistics {
  readonly calls: number;
  /** Calls that ended with an error, including tool errors. */
  readonly failed: number;
  /** Durations in milliseconds; undefined before the first call. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
  /** Time of the latest call, in milliseconds since 1970. */
  readonly lastCalledAt: number | undefined;
}

interface StatisticsObserver extends CallObserver {
  readonly of: (server: string) => CallStatistics;
}

/** Number of latest calls that percentiles are computed from. */
const MAX_SAMPLES = 256;
/** Lists and health checks are not user calls. */
const COUNTED: ReadonlySet<CallKind> = new Set(['tool', 'prompt', 'resource']);
const NONE: CallStatistics = {
  calls: 0,
  failed: 0,
  p50: undefined,
  p95: undefined,
  p99: undefined,
  lastCalledAt: undefined,
};

/** Keeps the durations of each server's latest calls. Removed servers are dropped. */
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
