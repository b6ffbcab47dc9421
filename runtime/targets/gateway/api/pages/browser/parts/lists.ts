import type { Session } from '#serve/http/pages/browser/session.ts';
import type { Wanted } from '#serve/http/pages/browser/components/data-table.ts';
import type { Static } from 'typebox';
import type { key } from '#gateway/api/keys-schemas.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';

interface Listed<Row> {
  readonly items: readonly Row[];
  readonly total: number;
}

/** A data table loader for an API list that is read with `skip` and `limit`. `fixed`: parameters for every page. */
export const pagesOf =
  <Row>(session: Session, path: string, fixed: Record<string, string> = {}) =>
  async ({ sort, filters, cursor, limit, signal }: Wanted) => {
    const skip = Number(cursor ?? 0);
    const { data } = await session.call<readonly Row[] | Listed<Row>>(path, {
      query: { ...fixed, ...filters, ...(sort === '' ? {} : { sort }), skip, limit },
      signal,
    });
    const [rows, total] = 'items' in data ? [data.items, data.total] : [data, undefined];
    return {
      rows,
      next: rows.length === limit ? String(skip + limit) : undefined,
      total,
    };
  };

/** All items of a list, e.g. for a select field. */
export async function allOf<Row>(
  session: Session,
  path: string,
  signal: AbortSignal,
  fixed: Record<string, string> = {},
): Promise<Row[]> {
  const limit = 1000;
  const { data } = await session.call<Row[]>(path, { query: { ...fixed, limit }, signal });
  return data;
}

type Key = Static<typeof key>;

/** Key names by ID; empty if the caller's key cannot list keys. */
export async function keyNames(session: Session, signal: AbortSignal): Promise<Map<string, string>> {
  const keys = await allOf<Key>(session, 'v1/keys', signal).catch((error: unknown) => {
    if (!(error instanceof ServerError) || error.status !== 403) throw error;
    return [];
  });
  return new Map(keys.map((key) => [key.id, key.key_name ?? `${key.key_prefix}…`]));
}
