/** What the `Cache-Control` header of a request asks for. */
export interface Directives {
  /** The answer must come from the model. It is cached. */
  readonly noCache: boolean;
  /** The answer must not be cached. */
  readonly noStore: boolean;
  /** Maximum age of a cached answer; undefined without a limit. */
  readonly maxAgeMs: number | undefined;
}

const NONE: Directives = { noCache: false, noStore: false, maxAgeMs: undefined };

/** @see https://www.rfc-editor.org/rfc/rfc9111#section-5.2.1 */
export function readDirectives(header: string | null | undefined): Directives {
  if (!header) return NONE;
  const parts = header.toLowerCase().split(',');
  const names = new Set(parts.map((part) => part.trim()));
  const [, seconds] = /(?:^|,)\s*max-age="?(\d{1,9})"?\s*(?:,|$)/.exec(header.toLowerCase()) ?? [];
  const maxAgeMs = seconds === undefined ? undefined : Number(seconds) * 1000;
  return { noCache: names.has('no-cache') || maxAgeMs === 0, noStore: names.has('no-store'), maxAgeMs };
}
