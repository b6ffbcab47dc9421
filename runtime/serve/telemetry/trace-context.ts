/**
 * The client's span.
 *
 * @see https://www.w3.org/TR/trace-context/
 */
export interface TraceParent {
  /** 32 lowercase hexadecimal digits. */
  readonly traceId: string;
  /** 16 lowercase hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const FORBIDDEN_VERSION = 'ff';
const SAMPLED = 1;

/**
 * Parses a traceparent header. Returns undefined if it is invalid; a new trace is then started. Later versions can append
 * fields.
 */
export function readTraceParent(header: string): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] = FORM.exec(header.trim()) ?? [];
  if (version === undefined || version === FORBIDDEN_VERSION) return undefined;
  if (version === '00' && rest !== undefined) return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

export const traceParentText = ({ traceId, spanId, sampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

const isZero = (digits: string): boolean => /^0+$/.test(digits);
