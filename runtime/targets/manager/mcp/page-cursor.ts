import { inputError } from '../../../contract/errors.ts';
import { parseJsonText } from '../../../core/json/json-text.ts';

/** Something of one server that is listed together with what other servers have. */
export interface ListedItem {
  readonly server: string;
  /** Its name or URI as the server knows it. */
  readonly key: string;
  readonly item: Readonly<Record<string, unknown>>;
}

/** The last item of a page. */
export interface PageEnd {
  readonly server: string;
  readonly key: string;
  /** Which item of its server it was, should there be none of that key any more. */
  readonly at: number;
}

export interface CutPage {
  readonly items: readonly ListedItem[];
  readonly nextCursor: string | undefined;
}

/**
 * The items after the cursor, at most `size`. Items are those of whole servers, sorted by server. The cursor names the last
 * item told, so that it holds when servers or items come and go: what was there all the time is told once.
 */
export function cutPage(items: readonly ListedItem[], after: PageEnd | undefined, size: number): CutPage {
  const start = after === undefined ? 0 : positionAfter(items, after);
  const page = items.slice(start, start + size);
  const last = page.at(-1);
  if (!last || start + size >= items.length) return { items: page, nextCursor: undefined };
  const at = start + page.length - 1 - items.findIndex(({ server }) => server === last.server);
  return { items: page, nextCursor: writeCursor({ server: last.server, key: last.key, at }) };
}

function positionAfter(items: readonly ListedItem[], { server, key, at }: PageEnd): number {
  const first = items.findIndex((item) => item.server >= server);
  if (first === -1) return items.length;
  const own = items.filter((item) => item.server === server);
  const same = own[at]?.key === key ? at : own.findIndex((item) => item.key === key);
  // If the item is gone, those behind it moved up by one.
  return first + (same === -1 ? Math.min(at, own.length) : same + 1);
}

const writeCursor = ({ server, key, at }: PageEnd): string =>
  Buffer.from(JSON.stringify([server, key, at])).toString('base64url');

export function readCursor(cursor: string | undefined): PageEnd | undefined {
  if (cursor === undefined) return undefined;
  try {
    const text = Buffer.from(cursor, 'base64url').toString();
    const end = parseJsonText(text);
    const [server, key, at]: readonly unknown[] = Array.isArray(end) ? end : [];
    if (typeof server === 'string' && typeof key === 'string' && Number.isSafeInteger(at)) {
      return { server, key, at: Math.max(0, Number(at)) };
    }
  } catch {
    // Told below.
  }
  throw inputError(
    `The cursor ${JSON.stringify(cursor.slice(0, 100))} is none of this list; take it from the nextCursor of a page.`,
  );
}
