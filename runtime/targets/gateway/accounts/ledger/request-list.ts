import { type Kysely, sql } from 'kysely';
import type { UsageStatus } from '../../shared/record-words.ts';
import { equalValues } from '../../store/equal-values.ts';
import { inTimeRange } from '../../store/in-time-range.ts';
import type { Schema, UsageRow } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';

/** Selects requests. All conditions that are set must match. */
export interface RequestFilter {
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly teamId?: string | undefined;
  /** There is no index for it. */
  readonly organizationId?: string | undefined;
  readonly model?: string | undefined;
  readonly status?: UsageStatus | undefined;
  /** Start of the time range in milliseconds since 1970, inclusive. */
  readonly from?: number | undefined;
  /** End of the time range, exclusive. */
  readonly to?: number | undefined;
}

/** A place in the list: the last row of the page before. */
export type RequestPlace = Pick<UsageRow, 'timestamp' | 'id'>;

/** Past requests. */
export interface RequestList {
  /** Usage rows after a place, newest first. */
  list(filter: RequestFilter, after: RequestPlace | undefined, limit: number): Promise<readonly UsageRow[]>;
  /** The rows of a request, in order of its attempts; `id` is that of any of them. */
  attempts(id: string): Promise<readonly UsageRow[]>;
}

export function createRequestList({ db }: Pick<Store, 'db'>): RequestList {
  return {
    list: async (filter, after, limit) =>
      await select(db, filter)
        .$if(after !== undefined, (query) =>
          // A comparison of rows starts the index at the place, which two conditions would not.
          query.where(sql<boolean>`(timestamp, id) < (${after?.timestamp ?? 0}, ${after?.id ?? ''})`),
        )
        .selectAll()
        .orderBy('timestamp', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    attempts: async (id) => {
      if (!isStorable(id)) return [];
      // The last attempt has the id of the request, and those before have it with their number.
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
  };
}

const MAX_ATTEMPTS = 200;

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
    // An outcome is not a parameter, so that the index of errors applies.
    query = query.where('status', '=', sql<UsageStatus>`${sql.lit(filter.status)}`);
  }
  return query.where(inTimeRange('timestamp', filter));
}
