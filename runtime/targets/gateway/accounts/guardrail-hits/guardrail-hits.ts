import { deleteBefore } from '../../store/delete-before.ts';
import { equalValues } from '../../store/equal-values.ts';
import { inTimeRange } from '../../store/in-time-range.ts';
import { createEventIds } from '../../store/audit/event-ids.ts';
import { EVENTS, newestFirst } from '../../store/newest-first.ts';
import type { ListPage } from '../../store/page.ts';
import { storableText } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';
import type { GuardrailHitRow } from '../../store/record-schema.ts';

/** Hit filters. All specified conditions must match. */
interface HitFilter {
  readonly profile?: string | undefined;
  readonly mode?: string | undefined;
  readonly userId?: string | undefined;
  readonly requestId?: string | undefined;
  /** Start of the time range in milliseconds since 1970 (inclusive). */
  readonly from?: number | undefined;
  /** End of the time range (exclusive). */
  readonly to?: number | undefined;
}

/** Texts flagged by guardrails. */
export interface GuardrailHits {
  /** Writes hits in the background. A failure only appears in the log. */
  add(hits: readonly Omit<GuardrailHitRow, 'id'>[]): void;
  /** A page of hits, newest first, and the total number of matching hits. */
  list(
    filter: HitFilter,
    page: ListPage,
  ): Promise<{ readonly total: number; readonly hits: readonly GuardrailHitRow[] }>;
  /** Deletes hits before a time. */
  prune(before: number): Promise<void>;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/** Maximum number of hits waiting for the database. Additional ones are not stored, so that memory stays limited. */
const MAX_WAITING = 1000;

export function createGuardrailHits(
  { db }: Pick<Store, 'db'>,
  onError: (error: unknown) => void = () => undefined,
): GuardrailHits {
  const nextId = createEventIds();
  const waiting: GuardrailHitRow[] = [];
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const rows = waiting.splice(0, 50);
      await db.insertInto('gateway_guardrail_hits').values(rows).execute().catch(onError);
    }
    running = undefined;
  };
  return {
    add(hits) {
      for (const hit of hits.slice(0, MAX_WAITING - waiting.length))
        waiting.push({
          ...hit,
          id: nextId(hit.at),
          at: Math.floor(hit.at),
          request_id: storableText(hit.request_id),
          model: storableText(hit.model),
          explanation: storableText(hit.explanation),
        });
      if (waiting.length > 0) running ??= run();
    },
    async list(filter, page) {
      const matching = db
        .selectFrom('gateway_guardrail_hits')
        .where(
          equalValues<GuardrailHitRow>({
            profile: filter.profile,
            mode: filter.mode,
            user_id: filter.userId,
            request_id: filter.requestId,
          }),
        )
        .where(inTimeRange('at', filter));
      const { total, rows: hits } = await newestFirst(matching.selectAll(), page, EVENTS);
      return { total, hits };
    },
    prune: async (before) => await deleteBefore(db, 'gateway_guardrail_hits', before),
    async close() {
      await running;
    },
  };
}
