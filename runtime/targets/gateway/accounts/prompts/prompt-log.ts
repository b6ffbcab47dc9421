import { createYielder } from '#platform/run-yielding.ts';
import { notFound } from '../identity/checks.ts';
import { type Kysely, sql } from 'kysely';
import { EVENTS, newestFirst } from '../../store/newest-first.ts';
import { deleteBefore } from '../../store/delete-before.ts';
import type { ListPage } from '../../store/page.ts';
import type { PromptRow } from '../../store/record-schema.ts';
import type { Schema } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';
import { promptCondition, type PromptFilter } from './prompt-filter.ts';

/** A stored request without its texts. */
export type PromptHead = Omit<PromptRow, 'request' | 'answer'>;

/** Requests and responses of logged keys, without secrets. */
export interface PromptLog {
  add(rows: readonly PromptRow[]): Promise<void>;
  /** A page of requests, newest first, without their texts. */
  list(
    filter: PromptFilter,
    page: ListPage,
  ): Promise<{ readonly total: number; readonly prompts: readonly PromptHead[] }>;
  /** A request's records with their texts, oldest first. Throws a NotFoundError. The access itself is recorded. */
  read(requestId: string): Promise<readonly PromptRow[]>;
  /** Number of matching requests. */
  count(filter: PromptFilter): Promise<number>;
  /**
   * All matching requests with their texts, newest first, read a few at a time. The access itself is recorded
   * before the first one is returned.
   */
  readAll(filter: PromptFilter, purpose: object): AsyncGenerator<readonly PromptRow[], void>;
  /** IDs of all matching requests, newest first. */
  ids(filter: PromptFilter): AsyncGenerator<readonly string[], void>;
  /** The requests with these IDs and their texts, newest first. The access itself is recorded. */
  readThese(ids: readonly string[], purpose: object): AsyncGenerator<readonly PromptRow[], void>;
  /** Deletes requests before a time. */
  prune(before: number): Promise<void>;
}

const HEAD = [
  'id',
  'at',
  'request_id',
  'user_id',
  'api_key_id',
  'model',
  'endpoint',
  'status',
  'status_code',
  'tags',
  'truncated',
] as const satisfies readonly (keyof PromptHead)[];

/**
 * The SQLite driver is synchronous, so readers yield to the event loop between reads. A request with its
 * response can have megabytes, so only a few are in memory.
 */
const ROWS_PER_READ = 50;
const IDS_PER_READ = 1000;

type PromptPlace = Pick<PromptRow, 'at' | 'id'>;

/** The matching requests after a position, newest first. */
const pageAfter = (db: Kysely<Schema>, filter: PromptFilter, after: PromptPlace | undefined) =>
  db
    .selectFrom('gateway_prompts')
    .where(promptCondition(filter))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(at, id) < (${after?.at ?? 0}, ${after?.id ?? ''})`),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc');

/** Maximum number of records per request; clients choose its ID and can reuse it. */
const MAX_RECORDS = 100;

export function createPromptLog({ db, audit }: Pick<Store, 'db' | 'audit'>, now: () => number): PromptLog {
  return {
    async add(rows) {
      await db.insertInto('gateway_prompts').values(rows).execute();
    },
    async list(filter, page) {
      const matching = db.selectFrom('gateway_prompts').where(promptCondition(filter));
      const { total, rows: prompts } = await newestFirst(matching.select(HEAD), page, EVENTS);
      return { total, prompts };
    },
    async read(requestId) {
      const rows = isStorable(requestId)
        ? await db
            .selectFrom('gateway_prompts')
            .selectAll()
            .where('request_id', '=', requestId)
            .orderBy('at')
            .orderBy('id')
            .limit(MAX_RECORDS)
            .execute()
        : [];
      if (rows.length === 0)
        throw notFound(`No prompt is stored for request '${requestId}'`, 'prompt_not_found');
      await audit.record(db, { at: now(), action: 'prompt.read', object: requestId });
      return rows;
    },
    async count(filter) {
      const { total } = await db
        .selectFrom('gateway_prompts')
        .where(promptCondition(filter))
        .select(sql<number>`count(*)`.as('total'))
        .executeTakeFirstOrThrow();
      return total;
    },
    async *readAll(filter, purpose) {
      await audit.record(db, { at: now(), action: 'prompt.read', after: purpose });
      const yieldToOthers = createYielder();
      for (let after: PromptPlace | undefined; ;) {
        await yieldToOthers();
        const rows = await pageAfter(db, filter, after).selectAll().limit(ROWS_PER_READ).execute();
        if (rows.length > 0) yield rows;
        if (rows.length < ROWS_PER_READ) return;
        after = rows.at(-1);
      }
    },
    async *ids(filter) {
      const yieldToOthers = createYielder();
      for (let after: PromptPlace | undefined; ;) {
        await yieldToOthers();
        const rows = await pageAfter(db, filter, after).select(['id', 'at']).limit(IDS_PER_READ).execute();
        if (rows.length > 0) yield rows.map(({ id }) => id);
        if (rows.length < IDS_PER_READ) return;
        after = rows.at(-1);
      }
    },
    async *readThese(ids, purpose) {
      await audit.record(db, { at: now(), action: 'prompt.read', after: purpose });
      // IDs increase with time.
      const newest = ids.toSorted().toReversed();
      const yieldToOthers = createYielder();
      for (let at = 0; at < newest.length; at += ROWS_PER_READ) {
        await yieldToOthers();
        const some = newest.slice(at, at + ROWS_PER_READ);
        yield await db
          .selectFrom('gateway_prompts')
          .selectAll()
          .where('id', 'in', some)
          .orderBy('id', 'desc')
          .execute();
      }
    },
    prune: async (before) => await deleteBefore(db, 'gateway_prompts', before),
  };
}
