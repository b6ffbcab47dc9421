/**
 * A span in OTLP's JSON format, with the fields that are used. @see
 * https://opentelemetry.io/docs/specs/otlp/
 */
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

/** A number that is sent as a double even if it has no fraction. */
interface Fractional {
  readonly fraction: number;
}

export const SPAN_KINDS = { internal: 1, server: 2, client: 3 } as const;
export const STATUS_ERROR = 2;

export type PlainValue = string | number | boolean | Fractional | undefined;

/**
 * Converts the attributes that are set. Numbers become integers, because OTLP's JSON format
 * represents integers as strings.
 */
export function attributesOf(values: Readonly<Record<string, PlainValue>>): OtlpAttribute[] {
  const attributes: OtlpAttribute[] = [];
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) attributes.push({ key, value: valueOf(value) });
  }
  return attributes;
}

function valueOf(value: Exclude<PlainValue, undefined>): OtlpValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { intValue: String(Math.round(value)) };
  return { doubleValue: value.fraction };
}

/**
 * Formats milliseconds as nanoseconds with microsecond precision, as a string, because a number
 * could not represent them.
 */
export const nanoTime = (milliseconds: number): string => `${Math.round(milliseconds * 1000)}000`;

export interface OtlpSource {
  readonly serviceName: string;
  /** Name of the program. */
  readonly scope: string;
  readonly version: string;
}

export const traceRequest = (
  { serviceName, scope, version }: OtlpSource,
  spans: readonly OtlpSpan[],
): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': serviceName, 'service.version': version }) },
        scopeSpans: [{ scope: { name: scope, version }, spans }],
      },
    ],
  });
