import { configError } from '#contract/errors.ts';
import { UsageError } from '#serve/cli/command.ts';
import { type TracingSettings, tracingSettings } from '#serve/telemetry/tracing-settings.ts';
import { DEFAULTS } from '../defaults.ts';
import type { GatewayFile } from '../schemas/file.ts';
import type { ResolveContext } from './context.ts';
import { sendableHeaders } from './sendable.ts';

const SHARE = { min: 0, max: 1, whole: false };

/** Resolves the trace export; undefined if tracing is disabled. */
export function resolveTracing(
  context: ResolveContext,
  { otel = {} }: GatewayFile,
): TracingSettings | undefined {
  const { flagsAndEnv, report, secrets } = context;
  const settings = tracingSettings({
    flags: {
      endpoint: flagsAndEnv.text('otel-endpoint'),
      serviceName: flagsAndEnv.text('otel-service-name'),
      // An invalid value is rejected even if tracing is disabled.
      sampled: flagsAndEnv.number('otel-sampled', SHARE),
    },
    variable: (name) => flagsAndEnv.variable(name),
    file: {
      endpoint: otel.endpoint,
      headers: () => sendableHeaders(context, ['otel', 'headers'], otel.headers),
      serviceName: otel.service_name,
      sampled: otel.sampled,
    },
    defaultServiceName: DEFAULTS.serviceName,
    warn: (reason) => context.warn(`${reason} Traces are disabled.`),
    refuse(source, rule) {
      if (source === 'file') report(['otel', 'endpoint'], rule);
      else if (source !== 'flag') throw configError(`${source}: ${rule}.`);
      else if (flagsAndEnv.onCommandLine('otel-endpoint')) throw new UsageError(`--otel-endpoint: ${rule}.`);
      else throw configError(`${flagsAndEnv.source('otel-endpoint')}: ${rule}.`);
    },
  });
  for (const [name, value] of Object.entries(settings?.headers ?? {})) secrets.add(value, [name]);
  return settings;
}
