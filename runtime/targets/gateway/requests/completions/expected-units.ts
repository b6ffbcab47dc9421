import { isObject } from '#core/json/is-object.ts';
import { isCount } from '#core/numbers/is-count.ts';
import type { UnitCounts } from '../../shared/unit-price.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { Endpoint } from './completion.ts';
import { textOr } from './endpoints/tokens.ts';

/** What a request can use besides tokens of text, before it is sent. */
export interface ExpectedUnits extends UnitCounts {
  /** Searches of an answer that does not report any, because models that always search do not report them. */
  readonly impliedSearches: number;
}

/** Searches to reserve for a request that does not limit them. */
const ASSUMED_SEARCHES = 5;
/** Documents per search unit of rerankers. @see https://docs.cohere.com/docs/rerank-overview */
const DOCUMENTS_PER_QUERY = 100;

export function expectedUnits(endpoint: Endpoint, body: Json): ExpectedUnits {
  const { n, documents, web_search_options: options } = body;
  const always = options === undefined || options === null ? 0 : 1;
  return {
    impliedSearches: always,
    webSearches: Math.max(always, searchesOf(body['tools'])),
    images: endpoint === '/v1/images/generations' ? (isCount(n) ? Math.max(1, n) : 1) : 0,
    queries:
      endpoint === '/v1/rerank' && Array.isArray(documents)
        ? Math.ceil(documents.length / DOCUMENTS_PER_QUERY)
        : 0,
  };
}

function searchesOf(tools: unknown): number {
  if (!Array.isArray(tools)) return 0;
  return tools.reduce<number>((max, tool) => {
    if (!isObject(tool)) return max;
    const isSearch =
      String(tool['type']).startsWith('web_search') || 'googleSearch' in tool || 'google_search' in tool;
    const { max_uses: limit } = tool;
    return isSearch ? Math.max(max, isCount(limit) ? limit : ASSUMED_SEARCHES) : max;
  }, 0);
}

/** Quality and size of images, as they are in the names of published prices; undefined for other requests. */
export function imageVariant(endpoint: Endpoint, { quality, size }: Json): string | undefined {
  if (endpoint !== '/v1/images/generations') return undefined;
  const [, width, height] = /^(\d+)x(\d+)$/.exec(textOr(size) ?? '1024x1024') ?? [];
  return width === undefined ? undefined : `${textOr(quality) ?? 'standard'}/${width}-x-${height}`;
}
