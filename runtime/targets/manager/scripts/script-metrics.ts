import { Gauge, type Registry } from 'prom-client';
import { LabeledCounter } from '#serve/labeled-metrics.ts';

/** The outcome of a script in the metrics. */
export type ScriptOutcome = 'ok' | 'error' | 'limit' | 'canceled' | 'rejected';

export interface ScriptMetrics {
  readonly onScript: (outcome: ScriptOutcome) => void;
  readonly onCall: (outcome: 'ok' | 'error') => void;
}

/** Creates the metrics of scripts. `running` returns the number of scripts that run now. */
export function scriptMetrics(registry: Registry, running: () => number): ScriptMetrics {
  const scripts = new LabeledCounter(registry, {
    name: 'mcp_scripts_total',
    help: 'Scripts of clients in code mode.',
    labelNames: ['outcome'],
  });
  const calls = new LabeledCounter(registry, {
    name: 'mcp_script_calls_total',
    help: 'Tool calls of scripts.',
    labelNames: ['outcome'],
  });
  void new Gauge({
    name: 'mcp_scripts_running',
    help: 'Scripts that are running.',
    registers: [registry],
    collect() {
      this.set(running());
    },
  });
  return {
    onScript: (outcome) => scripts.inc({ outcome }),
    onCall: (outcome) => calls.inc({ outcome }),
  };
}
