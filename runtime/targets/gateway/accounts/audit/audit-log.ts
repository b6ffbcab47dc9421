import type { Kysely } from 'kysely';
import type { ActorKind, AuditOutcome } from '../../shared/record-words.ts';
import { equalValues } from '../../store/equal-values.ts';
import { inTimeRange } from '../../store/in-time-range.ts';
import { EVENTS, newestFirst } from '../../store/newest-first.ts';
import type { ListPage } from '../../store/page.ts';
import type { AuditRow } from '../../store/record-schema.ts';
import { rowsInParts } from '../../store/rows-in-parts.ts';
import type { Schema } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { csvLine } from '../../shared/csv-line.ts';

/** Event filters. All specified conditions must match. */
export interface AuditFilter {
  readonly actor?: ActorKind | undefined;
  readonly actorId?: string | undefined;
  /** An action, e.g. `key.update`, or an object kind, e.g. `key`. */
  readonly action?: string | undefined;
  readonly object?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly address?: string | undefined;
  readonly requestId?: string | undefined;
  /** Start of the time range in milliseconds since 1970 (inclusive). */
  readonly from?: number | undefined;
  /** End of the time range (exclusive). */
  readonly to?: number | undefined;
}

/** Recorded events. They cannot be changed; they are only deleted when their retention expires. */
export interface AuditLog {
  /** A page of events, newest first, and the total number of matching events. */
  list(
    filter: AuditFilter,
    page: ListPage,
  ): Promise<{ readonly total: number; readonly events: readonly AuditRow[] }>;
  /** CSV lines, oldest first, after a header line. */
  csv(filter: AuditFilter): AsyncIterable<string>;
  /** Deletes events before a time, and the oldest rejected attempts if there are too many. */
  prune(before: number): Promise<void>;
}

/** Maximum number of rejected attempts, because any client that reaches the gateway can cause them. */
const MAX_REFUSED = 10_000;

export function createAuditLog({ db }: Pick<Store, 'db'>): AuditLog {
  return {
    async list(filter, page) {
      const matching = select(db, filter);
      const { total, rows: events } = await newestFirst(matching.selectAll(), page, EVENTS);
      return { total, events };
    },
    csv: (filter) => csvOf(db, filter),
    async prune(before) {
      await db.deleteFrom('gateway_audit').where('at', '<', before).execute();
      const oldest = await db
        .selectFrom('gateway_audit')
        .select('at')
        .where('outcome', '=', 'refused')
        .orderBy('at', 'desc')
        .offset(MAX_REFUSED)
        .limit(1)
        .executeTakeFirst();
      if (!oldest) return;
      await db
        .deleteFrom('gateway_audit')
        .where('outcome', '=', 'refused')
        .where('at', '<=', oldest.at)
        .execute();
    },
  };
}

async function* csvOf(db: Kysely<Schema>, filter: AuditFilter): AsyncGenerator<string> {
  yield auditCsvHeader();
  const rows = rowsInParts<AuditRow>((last, limit) =>
    select(db, filter)
      .$if(last !== undefined, (query) =>
        query.where((row) =>
          row.or([
            row('at', '>', last?.at ?? 0),
            row.and([row('at', '=', last?.at ?? 0), row('id', '>', last?.id ?? '')]),
          ]),
        ),
      )
      .selectAll()
      .orderBy('at')
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
  for await (const row of rows) yield auditCsvLine(row);
}

function select(db: Kysely<Schema>, filter: AuditFilter) {
  let query = db.selectFrom('gateway_audit').where(
    equalValues<AuditRow>({
      actor: filter.actor,
      actor_id: filter.actorId,
      object: filter.object,
      outcome: filter.outcome,
      address: filter.address,
      request_id: filter.requestId,
    }),
  );
  const { action } = filter;
  if (action !== undefined) {
    query = /^[a-z_]+$/.test(action)
      ? query.where('action', 'like', `${action}.%`)
      : query.where('action', '=', isStorable(action) ? action : '');
  }
  return query.where(inTimeRange('at', filter));
}

const COLUMNS = [
  'id',
  'at',
  'actor',
  'actor_id',
  'actor_user',
  'address',
  'forwarded_for',
  'request_id',
  'action',
  'object',
  'outcome',
  'reason',
  'before',
  'after',
  'count',
] as const satisfies readonly (keyof AuditRow)[];

const auditCsvHeader = (): string => csvLine(COLUMNS);

/** An event as a CSV line, with an RFC 3339 time and the states as JSON. */
const auditCsvLine = (row: AuditRow): string =>
  csvLine(COLUMNS.map((column) => (column === 'at' ? rfc3339(row.at) : row[column])));
