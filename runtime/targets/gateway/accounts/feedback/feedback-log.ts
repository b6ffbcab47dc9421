import { type Kysely, sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { type Author, MASTER_AUTHOR } from '../../shared/feedback-limits.ts';
import type { Thumb } from '../../shared/record-words.ts';
import { createEventIds } from '../../store/audit/event-ids.ts';
import { deleteBefore } from '../../store/delete-before.ts';
import { equalValues } from '../../store/equal-values.ts';
import { inTimeRange } from '../../store/in-time-range.ts';
import { EVENTS, newestFirst } from '../../store/newest-first.ts';
import type { ListPage } from '../../store/page.ts';
import type { FeedbackRow } from '../../store/record-schema.ts';
import type { Schema, UsageRow } from '../../store/schema.ts';
import { isStorable, storableText } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';

/** An author's judgement of a response, without secrets. */
export interface Judgement {
  readonly thumb: Thumb | null;
  readonly score: number | null;
  readonly label: string | null;
  readonly text: string | null;
  readonly expectedOutput: string | null;
}

/** Feedback filters. All specified conditions must match. */
interface FeedbackFilter {
  readonly requestId?: string | undefined;
  readonly authorId?: string | undefined;
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  readonly thumb?: Thumb | undefined;
  readonly label?: string | undefined;
  /** Start of the time range in milliseconds since 1970 (inclusive). */
  readonly from?: number | undefined;
  /** End of the time range (exclusive). */
  readonly to?: number | undefined;
}

/** Feedback on one model's responses. */
export interface FeedbackRate {
  readonly model: string;
  readonly feedback: number;
  readonly up: number;
  readonly down: number;
  readonly scores: number;
  readonly meanScore: number | null;
}

/**
 * Prepares the usage log for finding a request by its ID. The index costs time for every request, so it is
 * not in the schema, and is created when feedback is first enabled. It is kept when feedback is disabled again,
 * because other gateways with this database can have it enabled.
 */
export const indexRequests = ({ db }: Pick<Store, 'db'>): Promise<void> =>
  db.schema
    .createIndex('gateway_usage_request_id')
    .ifNotExists()
    .on('gateway_usage')
    .column('request_id')
    .execute();

/** Feedback on responses. It exists whether or not the requests themselves are logged. */
export interface FeedbackLog {
  /**
   * Stores an author's feedback on a request, or replaces it. Throws a ConflictError if `onlyKey` is set, and the
   * author's feedback is on a request of another key with the same ID.
   */
  set(request: UsageRow, author: Author, judgement: Judgement, onlyKey?: string): Promise<FeedbackRow>;
  /** A page of feedback, newest first, and the total number of matching items. */
  list(
    filter: FeedbackFilter,
    page: ListPage,
  ): Promise<{ readonly total: number; readonly feedback: readonly FeedbackRow[] }>;
  /** All feedback on several requests, oldest first. */
  on(requestIds: readonly string[]): Promise<readonly FeedbackRow[]>;
  /** Deletes feedback that an administrator or its author can delete. Throws a NotFoundError. */
  delete(id: string, by: 'administrator' | Pick<FeedbackFilter, 'authorId' | 'keyId'>): Promise<void>;
  /** Counts by model, those with the most feedback first. */
  rates(range: Pick<FeedbackFilter, 'from' | 'to'>): Promise<readonly FeedbackRate[]>;
  /** Deletes feedback before a time. */
  prune(before: number): Promise<void>;
}

/** Maximum number of models in rates. */
const MAX_RATES = 200;

export function createFeedbackLog(
  { db, audit }: Pick<Store, 'db' | 'audit'>,
  now: () => number,
): FeedbackLog {
  const nextId = createEventIds();
  return {
    async set(request, author, { thumb, score, label, text, expectedOutput }, onlyKey) {
      const at = Math.floor(now());
      const columns = {
        at,
        author: author.userId,
        thumb,
        score,
        label: label === null ? null : storableText(label),
        text: text === null ? null : storableText(text),
        expected_output: expectedOutput === null ? null : storableText(expectedOutput),
        ...requestColumns(request),
      };
      const row = await db
        .insertInto('gateway_feedback')
        .values({ id: nextId(at), created_at: at, author_id: author.id, ...columns })
        .onConflict((conflict) =>
          conflict
            .columns(['request_id', 'author_id'])
            .doUpdateSet(columns)
            .where(
              onlyKey === undefined
                ? sql<boolean>`1 = 1`
                : sql<boolean>`${sql.ref('gateway_feedback.api_key_id')} = ${onlyKey}`,
            ),
        )
        .returningAll()
        .executeTakeFirst();
      if (row) return row;
      throw new AppError(
        'ConflictError',
        `The user has already judged a request of another key with ID '${columns.request_id.slice(0, 100)}'. Use distinct request IDs.`,
        { reason: 'feedback_exists' },
      );
    },
    async list(filter, page) {
      const { total, rows: feedback } = await newestFirst(select(db, filter).selectAll(), page, EVENTS);
      return { total, feedback };
    },
    on: async (requestIds) =>
      requestIds.length === 0
        ? []
        : await db
            .selectFrom('gateway_feedback')
            .selectAll()
            .where('request_id', 'in', requestIds)
            .orderBy('at')
            .orderBy('id')
            .execute(),
    async delete(id, by) {
      await db.transaction().execute(async (trx) => {
        const row = isStorable(id)
          ? await trx
              .deleteFrom('gateway_feedback')
              .where('id', '=', id)
              .where(
                by === 'administrator'
                  ? sql<boolean>`1 = 1`
                  : equalValues<FeedbackRow>({ author_id: by.authorId, api_key_id: by.keyId }),
              )
              .returningAll()
              .executeTakeFirst()
          : undefined;
        if (!row)
          throw new AppError('NotFoundError', `Feedback with ID '${id.slice(0, 100)}' not found`, {
            reason: 'feedback_not_found',
          });
        // An author who takes back their own feedback changes nothing for others.
        if (by === 'administrator' && row.author_id !== MASTER_AUTHOR.id)
          await audit.record(trx, {
            at: now(),
            action: 'feedback.delete',
            object: id,
            before: { request_id: row.request_id, author: row.author },
          });
      });
    },
    async rates(range) {
      const rows = await db
        .selectFrom('gateway_feedback')
        .where(inTimeRange('at', range))
        .groupBy('model')
        .select([
          'model',
          sql<number>`count(*)`.as('feedback'),
          sql<number>`count(case when thumb = 'up' then 1 end)`.as('up'),
          sql<number>`count(case when thumb = 'down' then 1 end)`.as('down'),
          sql<number>`count(score)`.as('scores'),
          sql<number | null>`avg(score)`.as('meanScore'),
        ])
        .orderBy(sql`count(*)`, 'desc')
        .orderBy('model')
        .limit(MAX_RATES)
        .execute();
      return rows;
    },
    prune: async (before) => await deleteBefore(db, 'gateway_feedback', before),
  };
}

const requestColumns = ({ request_id: id, user_id, api_key_id, team_id, model, endpoint }: UsageRow) => ({
  request_id: id ?? '',
  user_id,
  api_key_id,
  team_id,
  model,
  endpoint,
});

const select = (db: Kysely<Schema>, filter: FeedbackFilter) =>
  db
    .selectFrom('gateway_feedback')
    .where(
      equalValues<FeedbackRow>({
        request_id: filter.requestId,
        author_id: filter.authorId,
        user_id: filter.userId,
        api_key_id: filter.keyId,
        model: filter.model,
        thumb: filter.thumb,
        label: filter.label,
      }),
    )
    .where(inTimeRange('at', filter));
