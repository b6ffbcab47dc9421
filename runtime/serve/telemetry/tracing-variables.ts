import type { TracingSettings } from './tracing-settings.ts';

/**
 * Variables for a program that is started and called by this one: it sends its spans to the same collector, for those requests that
 * this program samples.
 */
export const tracingVariables = ({ endpoint, headers }: TracingSettings): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: Object.entries(headers)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join(','),
  OTEL_TRACES_SAMPLER: 'parentbased_always_off',
});
