import { Counter, Gauge, type Registry } from 'prom-client';
import type { KeyState } from '../providers/adapters/keys/key-state.ts';

/** Creates the metrics of providers that have several keys. Labels contain the configured names of keys. */
export function createKeyMetrics(registry: Registry, states: () => readonly KeyState[]): void {
  const registers = [registry];
  void new Counter({
    name: 'gateway_provider_key_calls_total',
    help: 'Calls of providers that have several keys, by key.',
    labelNames: ['provider', 'key'],
    registers,
    collect() {
      this.reset();
      for (const { provider, key, calls } of states()) this.inc({ provider, key }, calls);
    },
  });
  void new Counter({
    name: 'gateway_provider_key_failures_total',
    help: 'Failed calls of providers that have several keys, by key and kind of failure.',
    labelNames: ['provider', 'key', 'failure'],
    registers,
    collect() {
      this.reset();
      for (const { provider, key, failures } of states())
        for (const [failure, count] of Object.entries(failures)) this.inc({ provider, key, failure }, count);
    },
  });
  void new Gauge({
    name: 'gateway_provider_key_cooling_seconds',
    help: 'Longest time for which a key is still used last, for all requests or some.',
    labelNames: ['provider', 'key'],
    registers,
    // Threads share cool-downs.
    aggregator: 'max',
    collect() {
      this.reset();
      for (const { provider, key, coolingMs } of states()) this.set({ provider, key }, coolingMs / 1000);
    },
  });
}
