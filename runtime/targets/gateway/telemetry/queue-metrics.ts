import { Gauge, Histogram, type Registry } from 'prom-client';
import type { WaitObserver } from '../accounts/ledger/waiting/queue-settings.ts';

interface QueueMetrics extends WaitObserver {
  /** Adds the metrics to a registry. */
  readonly register: (registry: Registry) => void;
}

/** Buckets of waiting times, in seconds. */
const SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];

/** Creates the metrics of queues. They count before they have a registry, because queues are opened earlier. */
export function createQueueMetrics(): QueueMetrics {
  const waiting = new Gauge({
    name: 'gateway_queue_requests',
    help: 'Requests that wait in a queue instead of being rejected by a rate limit, by priority.',
    labelNames: ['priority'],
    registers: [],
  });
  const waits = new Histogram({
    name: 'gateway_queue_wait_seconds',
    help: 'Time that requests have waited in a queue, by priority and outcome: admitted, expired, left, rejected or full.',
    labelNames: ['priority', 'outcome'],
    buckets: SECONDS,
    registers: [],
  });
  return {
    register(registry) {
      registry.registerMetric(waiting);
      registry.registerMetric(waits);
    },
    began: (priority) => waiting.inc({ priority }),
    ended(priority, outcome, milliseconds) {
      if (outcome !== 'full') waiting.dec({ priority });
      waits.observe({ priority, outcome }, milliseconds / 1000);
    },
  };
}
