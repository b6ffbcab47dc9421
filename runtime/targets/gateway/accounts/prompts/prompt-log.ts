import { notFound } from '../identity/checks.ts';
import { equalValues } from '../../store/equal-values.ts';
import { inTimeRange } from '../../store/in-time-range.ts';
import { EVENTS, newestFirst } from '../../store/newest-first.ts';
import type { ListPage } from '../../store/page.ts';
import type { PromptRow } from '../../store/record-schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';

/** Request filters. All specified conditions must match. */
interface PromptFilter {
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  readonly requestId?: string | undefined;
  /** Start of the time range in milliseconds since 1970 (inclusive). */
  readonly from?: number | undefined;
  /** End of the time range (exclusive). */
  readonly to?: number | undefined;
}

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
  'truncated',
] as const satisfies readonly (keyof PromptHead)[];

/** Several short transactions let requests write in between. */
const ROWS_PER_DELETE = 500;
/** Maximum number of records per request; clients choose its ID and can reuse it. */
const MAX_RECORDS = 100;

export function createPromptLog({ db, audit }: Pick<Store, 'db' | 'audit'>, now: () => number): PromptLog {
  return {
    async add(rows) {
      await db.insertInto('gateway_prompts').values(rows).execute();
    },
    async list(filter, page) {
      const matching = db
        .selectFrom('gateway_prompts')
        .where(
          equalValues<PromptRow>({
            user_id: filter.userId,
            api_key_id: filter.keyId,
            model: filter.model,
            request_id: filter.requestId,
          }),
        )
        .where(inTimeRange('at', filter));
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
    async prune(before) {
      for (;;) {
        const old = await db
          .selectFrom('gateway_prompts')
          .select('id')
          .where('at', '<', before)
          .limit(ROWS_PER_DELETE)
          .execute();
        if (old.length === 0) return;
        const ids = old.map(({ id }) => id);
        await db.deleteFrom('gateway_prompts').where('id', 'in', ids).execute();
      }
    },
  };
}
