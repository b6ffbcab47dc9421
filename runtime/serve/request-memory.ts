import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge, type Registry } from 'prom-client';
import {
  type ByteBudget,
  createByteBudget,
  type ByteHold,
  UNLIMITED_HOLD,
} from '#core/limits/byte-budget.ts';
import { availableMemory } from '#platform/available-memory.ts';
import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';

/** Texts, parsed values and copies of a request can need several times the bytes that are counted. */
const SHARE_OF_MEMORY = 1 / 4;

/** The default limit: a share of what the heap can have, or of the memory of the container if that is less. */
const defaultRequestMemory = (): number =>
  Math.floor(Math.min(getHeapStatistics().heap_size_limit, availableMemory()) * SHARE_OF_MEMORY);

/** Creates the budget of a process, with its metrics. */
export function createRequestMemory(metrics: Registry, limit: number = defaultRequestMemory()): ByteBudget {
  const refused = new Counter({
    name: 'request_memory_refused_total',
    help: 'Requests rejected because of the memory limit for requests, by limit: process or caller.',
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

/** Opens the account of a request when its first bytes are read: most requests have no body. */
export type OpenHold = () => ByteHold;

/** The account ends with the response. */
export function holdOfResponse(
  bytes: ByteBudget,
  response: Pick<ServerResponse, 'once' | 'closed'>,
  caller: () => string | undefined,
): OpenHold {
  let hold: ByteHold | undefined;
  return () => {
    if (hold) return hold;
    const opened = bytes.open(caller());
    if (response.closed) opened.release();
    else response.once('close', opened.release);
    hold = opened;
    return opened;
  };
}

/** The account of a request in an app. An app that is called without a server has none. */
export const holdOf = (c: Context): ByteHold =>
  (c.get('openHold') as OpenHold | undefined)?.() ?? UNLIMITED_HOLD;
