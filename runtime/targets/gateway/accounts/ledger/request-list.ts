import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { UsageStatus } from '../../shared/record-words.ts';
import { equalValues } from '../../store/equal-values.ts';
import { inTimeRange } from '../../store/in-time-range.ts';
import type { Schema, UsageRow } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';

/** Request filters. All specified conditions must match. */
export interface RequestFilter {
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly teamId?: string | undefined;
  /** No index covers it. */
  readonly organizationId?: string | undefined;
  readonly model?: string | undefined;
  readonly status?: UsageStatus | undefined;
  /** Start of the time range in milliseconds since 1970 (inclusive). */
  readonly from?: number | undefined;
  /** End of the time range (exclusive). */
  readonly to?: number | undefined;
}

/** A position in the list: the previous page's last row. */
export type RequestPlace = Pick<UsageRow, 'timestamp' | 'id'>;

/** Whose requests a caller can see. */
export interface RequestOwners {
  readonly keyId?: string | undefined;
  readonly userId?: string | undefined;
  readonly teamIds?: readonly string[] | undefined;
}

/** Past requests. */
export interface RequestList {
  /** Usage rows after a position, newest first. */
  list(filter: RequestFilter, after: RequestPlace | undefined, limit: number): Promise<readonly UsageRow[]>;
  /** A request's rows, in attempt order; `id` is the ID of any of them. */
  attempts(id: string): Promise<readonly UsageRow[]>;
  /**
   * Usage rows with a request ID, newest first. Clients choose these IDs, so the same one can occur in the
   * requests of several users. Without owners, everyone's rows.
   */
  named(requestId: string, owners: RequestOwners | undefined): Promise<readonly UsageRow[]>;
}

export function createRequestList({ db }: Pick<Store, 'db'>): RequestList {
  return {
    list: async (filter, after, limit) =>
      await select(db, filter)
        .$if(after !== undefined, (query) =>
          // A row comparison starts the index at the position, which two separate conditions would not.
          query.where(sql<boolean>`(timestamp, id) < (${after?.timestamp ?? 0}, ${after?.id ?? ''})`),
        )
        .selectAll()
        .orderBy('timestamp', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    attempts: async (id) => {
      if (!isStorable(id)) return [];
      // The last attempt has the request's ID; earlier ones have it with their number appended.
      const [request = ''] = id.split('.');
      const rows = await db
        .selectFrom('gateway_usage')
        .selectAll()
        .where('id', '>=', request)
        .where('id', '<', `${request}/`)
        .limit(MAX_ATTEMPTS)
        .execute();
      return rows
        .filter((row) => row.id === request || row.id.startsWith(`${request}.`))
        .toSorted((one, other) => one.attempt - other.attempt);
    },
    named: async (requestId, owners) =>
      isStorable(requestId)
        ? await db
            .selectFrom('gateway_usage')
            .selectAll()
            .where('request_id', '=', requestId)
            .$if(owners !== undefined, (query) => query.where(isOwnedBy(owners ?? {})))
            .orderBy('timestamp', 'desc')
            .orderBy('id', 'desc')
            .limit(MAX_ATTEMPTS)
            .execute()
        : [],
  };
}

const MAX_ATTEMPTS = 200;

/** SQL condition that a row belongs to one of these owners. */
function isOwnedBy({ keyId, userId, teamIds = [] }: RequestOwners): RawBuilder<SqlBool> {
  const conditions = [
    ...(keyId === undefined ? [] : [sql`api_key_id = ${keyId}`]),
    ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
    ...(teamIds.length === 0 ? [] : [sql`team_id in (${sql.join(teamIds)})`]),
  ];
  return conditions.length === 0 ? sql`1 = 0` : sql`(${sql.join(conditions, sql` or `)})`;
}

function select(db: Kysely<Schema>, filter: RequestFilter) {
  let query = db.selectFrom('gateway_usage').where(
    equalValues<UsageRow>({
      user_id: filter.userId,
      api_key_id: filter.keyId,
      team_id: filter.teamId,
      organization_id: filter.organizationId,
      model: filter.model,
    }),
  );
  if (filter.status !== undefined) {
    // Outcomes are not passed as parameters, so that the index of errors applies.
    query = query.where('status', '=', sql<UsageStatus>`${sql.lit(filter.status)}`);
  }
  return query.where(inTimeRange('timestamp', filter));
}
