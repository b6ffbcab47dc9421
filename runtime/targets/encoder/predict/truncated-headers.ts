/** Proxies refuse long headers, and a request can have thousands of inputs. */
export const MAX_LISTED_INDEXES = 100;

export const TRUNCATED_COUNT = 'X-Truncated-Inputs';
export const TRUNCATED_INDEXES = 'X-Truncated-Indexes';

/** Headers that report truncated inputs, for HTTP and gRPC: their number, and their indexes if there are any. */
export function truncatedHeaders(truncated: readonly number[]): [string, string][] {
  const count: [string, string] = [TRUNCATED_COUNT, String(truncated.length)];
  if (truncated.length === 0) return [count];
  return [count, [TRUNCATED_INDEXES, truncated.slice(0, MAX_LISTED_INDEXES).join(',')]];
}
