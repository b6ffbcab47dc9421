import { configError } from '../../contract/errors.ts';
import { type Invocation, UsageError } from '../cli/command.ts';
import { type TracingSettings, tracingSettings } from './tracing-settings.ts';

/** Reads the export of traces from the common flags and the environment; undefined if traces are disabled. */
export function readTracing(
  invocation: Invocation,
  env: Readonly<Record<string, string | undefined>>,
  defaultServiceName: string,
): TracingSettings | undefined {
  return tracingSettings({
    flags: {
      endpoint: invocation.value('otel-endpoint'),
      serviceName: invocation.value('otel-service-name'),
      sampled: readShare(invocation),
    },
    variable: (name) => env[name] || undefined,
    defaultServiceName,
    refuse(source, rule) {
      if (source !== 'flag') throw configError(`${source}: ${rule}.`);
      throw new UsageError(`${invocation.source('otel-endpoint')}: ${rule}.`);
    },
  });
}

function readShare(invocation: Invocation): number | undefined {
  const text = invocation.value('otel-sampled');
  if (text === undefined) return undefined;
  const share = Number(text);
  if (/^\d*\.?\d+$/.test(text) && share <= 1) return share;
  throw new UsageError(
    `${invocation.source('otel-sampled')}: ${JSON.stringify(text)} is not a number from 0 to 1.`,
  );
}
