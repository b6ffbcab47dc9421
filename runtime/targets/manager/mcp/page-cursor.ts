import { inputError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';

/** An item of one server within a combined list of all servers. */
export interface ListedItem {
  readonly server: string;
  /** Its name or URI on the server. */
  readonly key: string;
  readonly item: Readonly<Record<string, unknown>>;
}

/** The last item on a page. */
export interface PageEnd {
  readonly server: string;
  readonly key: string;
  /** The item's index in its server's list, in case the item no longer exists. */
  readonly at: number;
}

export interface CutPage {
  readonly items: readonly ListedItem[];
  readonly nextCursor: string | undefined;
}

/**
 * Returns up to `size` items after the cursor. The items must be complete server lists, sorted by server. The
 * cursor identifies the last item on a page, so that changes between two pages neither repeat nor skip other
 * items.
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
  // If the item was removed, the items after it have moved up by one.
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
    // The error below also covers an unreadable cursor.
  }
  throw inputError(
    `Invalid cursor ${JSON.stringify(cursor.slice(0, 100))}. Use the nextCursor of a previous page.`,
  );
}
