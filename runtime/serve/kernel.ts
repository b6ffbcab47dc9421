import { getHeapStatistics } from 'node:v8';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Access } from './access.ts';
import { type ByteBudget, createByteBudget } from '#core/limits/byte-budget.ts';
import { availableMemory } from '#platform/available-memory.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import type { Logger } from './log.ts';
import type { Tracer } from './telemetry/tracer.ts';

/** State shared by all parts of a server. */
export interface Kernel {
  readonly log: Logger;
  readonly metrics: Registry;
  readonly lifecycle: Lifecycle;
  readonly access: Access;
  /** The budget for the memory that the process uses for requests. */
  readonly requestMemory: ByteBudget;
  /**
   * Traces requests; undefined if traces are disabled, and in the gateway, which traces requests to
   * models itself.
   */
  readonly tracer?: Tracer | undefined;
}

/** Limits of a server process. */
export interface KernelLimits {
  /** Maximum memory in bytes for requests. Default: a share of the process's memory. */
  readonly maxRequestMemory?: number | undefined;
}

/** The place of a thread in a server with several threads. */
export interface ThreadShare {
  /** Number of threads that share the process's limits equally. */
  readonly of: number;
  /** Whether this is the main thread, which reports the metrics of the process. */
  readonly isMain: boolean;
}

const WHOLE: ThreadShare = { of: 1, isMain: true };

/** Creates the state of a server that is starting, with the metrics of its process. */
export function createKernel(
  log: Logger,
  access: Access,
  { maxRequestMemory = defaultRequestMemory() }: KernelLimits = {},
  share: ThreadShare = WHOLE,
): Kernel {
  const metrics = new Registry();
  if (share.isMain) collectDefaultMetrics({ register: metrics });
  const requestMemory = createRequestMemory(metrics, Math.floor(maxRequestMemory / share.of));
  return { log, metrics, lifecycle: createLifecycle(), access, requestMemory };
}

/** Creates the budget for the bodies of requests, with its metrics. @internal Exported for tests only. */
export function createRequestMemory(metrics: Registry, limit: number = defaultRequestMemory()): ByteBudget {
  const refused = new Counter({
    name: 'request_memory_refused_total',
    help: 'Requests rejected by the request memory limit, by limit: process or caller.',
    labelNames: ['limit'],
    registers: [metrics],
  });
  const budget = createByteBudget({ limit, onRefused: (by) => refused.inc({ limit: by }) });
  for (const [name, help, value] of [
    ['request_memory_bytes', 'Bytes held for requests.', budget.held],
    ['request_memory_limit_bytes', 'Maximum number of bytes held for requests.', () => limit],
  ] as const) {
    const gauge = new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.set(value());
      },
    });
    metrics.registerMetric(gauge);
  }
  return budget;
}

/**
 * Decoded text, parsed values and copies of a request can take up several times the number of bytes
 * that are counted.
 */
const SHARE_OF_MEMORY = 1 / 4;

/**
 * The default limit: a share of the maximum heap size, or of the container's memory if the
 * container has less memory.
 */
const defaultRequestMemory = (): number =>
  Math.floor(Math.min(getHeapStatistics().heap_size_limit, availableMemory()) * SHARE_OF_MEMORY);
