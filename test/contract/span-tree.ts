import type { CollectedSpan } from '../runtime/serve/telemetry/collector.ts';

const CLIENT_SPAN = '00f067aa0ba902b7';
const traceId = (digit: number): string => String(digit).repeat(32);

/** A client header whose trace ID consists of this digit. */
export const traceParent = (digit: number, flags = '01'): string =>
  `00-${traceId(digit)}-${CLIENT_SPAN}-${flags}`;

export interface SpanTree {
  readonly name: string;
  readonly kind: number;
  readonly children?: readonly SpanTree[];
}

/** The child spans of the client's span, in the order of their start times. */
export const treeOf = (spans: readonly CollectedSpan[], digit: number): SpanTree[] =>
  childrenOf(
    spans.filter((span) => span.traceId === traceId(digit)),
    CLIENT_SPAN,
  );

function childrenOf(spans: readonly CollectedSpan[], parentId: string): SpanTree[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parentId)
    .toSorted((one, other) => Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)))
    .map(({ name, kind, spanId }) => {
      const children = childrenOf(spans, spanId);
      return { name, kind, ...(children.length > 0 ? { children } : {}) };
    });
}
