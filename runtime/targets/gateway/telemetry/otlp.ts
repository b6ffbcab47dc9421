/** What of the OpenTelemetry protocol is used here, in its JSON. @see https://opentelemetry.io/docs/specs/otlp/ */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  readonly kind: (typeof SPAN_KINDS)[keyof typeof SPAN_KINDS];
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

type OtlpValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean };

/** Whole numbers that are none in general. */
interface Fractional {
  readonly fraction: number;
}

export const SPAN_KINDS = { server: 2, client: 3 } as const;
export const STATUS_ERROR = 2;

type Plain = string | number | boolean | Fractional | undefined;

/** Those that have a value; whole numbers as such, which have to be text in JSON. */
export function attributesOf(values: Readonly<Record<string, Plain>>): OtlpAttribute[] {
  const attributes: OtlpAttribute[] = [];
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) attributes.push({ key, value: valueOf(value) });
  }
  return attributes;
}

function valueOf(value: Exclude<Plain, undefined>): OtlpValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { intValue: String(Math.round(value)) };
  return { doubleValue: value.fraction };
}

/** Milliseconds as nanoseconds, which no number can hold; finer than a microsecond no clock here is. */
export const nanoTime = (milliseconds: number): string => `${Math.round(milliseconds * 1000)}000`;

export interface OtlpSource {
  readonly serviceName: string;
  readonly version: string;
}

export const traceRequest = ({ serviceName, version }: OtlpSource, spans: readonly OtlpSpan[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': serviceName, 'service.version': version }) },
        scopeSpans: [{ scope: { name: 'gateway', version }, spans }],
      },
    ],
  });
