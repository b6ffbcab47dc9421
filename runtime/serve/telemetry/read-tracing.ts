import { numberIn } from '#core/numbers/number-in.ts';
import { type Invocation, UsageError } from '../cli/command.ts';
import { type TracingSettings, tracingSettings } from './tracing-settings.ts';

export interface ReadTracing {
  /** Undefined if traces are disabled. */
  readonly tracing: TracingSettings | undefined;
  /** Why traces are disabled although an endpoint is set. */
  readonly tracingWarnings: readonly string[];
}

/**
 * Reads the trace export settings from the common flags and the environment. Invalid flags and
 * variables of the program are rejected. OpenTelemetry's variables are often set for all programs
 * on a machine, so invalid ones only disable traces.
 */
export function readTracing(
  invocation: Invocation,
  env: Readonly<Record<string, string | undefined>>,
  defaultServiceName: string,
): ReadTracing {
  const tracingWarnings: string[] = [];
  const warn = (reason: string): void => void tracingWarnings.push(`${reason} Traces are disabled.`);
  const tracing = tracingSettings({
    flags: {
      endpoint: invocation.value('otel-endpoint'),
      serviceName: invocation.value('otel-service-name'),
      sampled: readShare(invocation),
    },
    variable: (name) => env[name] || undefined,
    defaultServiceName,
    refuse(source, rule) {
      if (source === 'flag') throw new UsageError(`${invocation.source('otel-endpoint')}: ${rule}.`);
      warn(`${source}: ${rule}.`);
    },
    warn,
  });
  return { tracing, tracingWarnings };
}

function readShare(invocation: Invocation): number | undefined {
  const text = invocation.value('otel-sampled');
  if (text === undefined) return undefined;
  const share = numberIn(text, { min: 0, max: 1, whole: false });
  if (share !== undefined) return share;
  throw new UsageError(
    `${invocation.source('otel-sampled')}: ${JSON.stringify(text)} is not a number from 0 to 1.`,
  );
}
