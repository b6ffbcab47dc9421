import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type ByteBudget, createByteBudget } from '#core/limits/byte-budget.ts';
import { availableMemory } from '#platform/available-memory.ts';

/** Texts, parsed values and copies of a request can need several times the bytes that are counted. */
const SHARE_OF_MEMORY = 1 / 4;

/** The default limit: a share of what the heap can have, or of the memory of the container if that is less. */
const defaultRequestMemory = (): number =>
  Math.floor(Math.min(getHeapStatistics().heap_size_limit, availableMemory()) * SHARE_OF_MEMORY);

/** Creates the budget of a process, with its metrics. */
export function createRequestMemory(metrics: Registry, limit: number = defaultRequestMemory()): ByteBudget {
  const refused = new Counter({
    name: 'request_memory_refused_total',
    help: 'Requests refused because too many bytes were held for requests, by the limit: process or caller.',
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
