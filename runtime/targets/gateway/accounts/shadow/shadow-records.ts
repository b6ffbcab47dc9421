import { type Kysely, sql } from 'kysely';
import { parseJsonText } from '#core/json/json-text.ts';
import type { SequentialVerdict } from '../../evaluation/metrics/sequential/paired-test.ts';
import type { Thumb } from '../../shared/record-words.ts';
import { ROWS_PER_DELETE } from '../../store/delete-before.ts';
import type { AlertRow, ShadowRow } from '../../store/record-schema.ts';
import type { Schema } from '../../store/schema.ts';
import { storableText } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';

/** What is compared, and how. It identifies a trial together with the alias. */
export interface TrialPlan {
  readonly baseline: readonly string[];
  readonly candidate: string;
  readonly metrics: readonly string[];
  /** The metrics on which the verdict depends. */
  readonly deciding: readonly string[];
  readonly judge: string | undefined;
  readonly rubric: string | undefined;
  readonly embedder: string | undefined;
  readonly margin: number;
  readonly confidence: number;
  readonly maxRows: number;
  /** Set for an A/B test, in which each user gets the responses of one of the models. */
  readonly ab?: AbPlan | undefined;
}

export interface AbPlan {
  /** Whose requests all get the same variant. */
  readonly by: string;
  /** The requests of a unit that count: those within this time after the first one. */
  readonly windowMs: number;
  /** The score in feedback that counts as 1. */
  readonly maxScore: number;
}

export interface Trial {
  readonly id: string;
  readonly alias: string;
  readonly plan: TrialPlan;
  readonly createdAt: number;
  readonly rows: number;
  readonly verdict: SequentialVerdict;
  readonly decidedAt: number | null;
}

/** The two scores of a metric: the current model's and the candidate's. */
export type ScorePair = readonly [number, number];
export type PairScores = Readonly<Record<string, ScorePair>>;
/** By metric. A request in an A/B test only has the score of its own response. */
type RowScores = Readonly<Record<string, ScorePair | number>>;

/** Feedback on a request in an A/B test. */
export interface Rating {
  readonly unit: string | null;
  readonly variant: string | null;
  /** Start of the request. */
  readonly at: number;
  /** Last change of the feedback. */
  readonly ratedAt: number;
  readonly thumb: Thumb | null;
  readonly score: number | null;
}

/** A compared request. */
export interface ComparedRow
  extends
    Omit<ShadowRow, 'scores' | 'trial_id' | 'number' | VariantColumn>,
    Partial<Pick<ShadowRow, VariantColumn>> {
  readonly scores: RowScores;
}

/** Columns that only rows of A/B tests have. */
type VariantColumn = 'variant' | 'unit' | 'share' | 'output_tokens';

export type NewTrial = Pick<Trial, 'id' | 'alias' | 'plan'> & { readonly retentionMs: number | undefined };

/** Why a request was not compared. */
export type SkipReason = string;

/** The stored evaluations. They contain no texts. */
export interface ShadowRecords {
  /** Creates the trial if it does not exist, and returns it. */
  open(trial: NewTrial): Promise<Trial>;
  /** Adds rows in this order. A row that is already stored, or whose user was deleted, is ignored. */
  add(trialId: string, rows: readonly ComparedRow[]): Promise<void>;
  skip(trialId: string, counts: ReadonlyMap<SkipReason, number>): Promise<void>;
  /** Rows after a number, in order, at most `limit`. */
  rows(trialId: string, after: number, limit: number): Promise<readonly NumberedRow[]>;
  /** Feedback on a trial's requests from a number on. */
  ratings(trialId: string, from: number): Promise<readonly Rating[]>;
  /** Sets a verdict that was just reached and raises the alert. Only the first caller does, and gets true. */
  decide(trialId: string, verdict: SequentialVerdict, alert: AlertRow): Promise<boolean>;
  /** All trials, newest first. */
  list(): Promise<readonly Trial[]>;
  find(id: string): Promise<Trial | undefined>;
  skips(trialId: string): Promise<Readonly<Record<SkipReason, number>>>;
  /** The stored settings of an experiment's newest workflow, as JSON; undefined if there is none. */
  newestWorkflow(experimentId: string): Promise<{ readonly spec: string } | undefined>;
  /** Deletes rows whose retention has expired. */
  prune(now: number): Promise<void>;
}

export interface NumberedRow extends ComparedRow {
  readonly number: number;
  readonly trial_id: string;
}

/** Evaluations that are listed. */
const MAX_LISTED = 200;

export function createShadowRecords(
  { db }: Pick<Store, 'db'>,
  clock: { readonly now: () => number },
): ShadowRecords {
  const find = async (id: string): Promise<Trial | undefined> => {
    const row = await db
      .selectFrom('gateway_shadow_trials')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && trialOf(row);
  };
  return {
    find,
    async open({ id, alias, plan, retentionMs = null }) {
      const row = {
        id,
        alias,
        settings: JSON.stringify(plan),
        created_at: Math.floor(clock.now()),
        row_count: 0,
        verdict: 'undecided',
        decided_at: null,
        retention_ms: retentionMs,
      };
      await db
        .insertInto('gateway_shadow_trials')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ retention_ms: retentionMs }))
        .execute();
      return (await find(id)) ?? trialOf(row);
    },
    async add(trialId, rows) {
      for (let at = 0; at < rows.length; at += ROWS_PER_INSERT)
        await insertRows(db, trialId, rows.slice(at, at + ROWS_PER_INSERT));
    },
    async skip(trialId, counts) {
      for (const [reason, count] of counts)
        await db
          .insertInto('gateway_shadow_skips')
          .values({ trial_id: trialId, reason, count })
          .onConflict((conflict) =>
            conflict
              .columns(['trial_id', 'reason'])
              .doUpdateSet({ count: sql<number>`gateway_shadow_skips.count + ${sql.lit(count)}` }),
          )
          .execute();
    },
    rows: async (trialId, after, limit) =>
      (
        await db
          .selectFrom('gateway_shadow_rows')
          .selectAll()
          .where('trial_id', '=', trialId)
          .where('number', '>', after)
          .orderBy('number')
          .limit(limit)
          .execute()
      ).map((row) => ({ ...row, scores: parseJsonText(row.scores) as RowScores })),
    ratings: async (trialId, from) =>
      await db
        .selectFrom('gateway_shadow_rows as row')
        .innerJoin('gateway_feedback as feedback', (join) =>
          // Clients can choose request IDs, so the user must be the same as well.
          join
            .onRef('feedback.request_id', '=', 'row.request_id')
            .onRef('feedback.user_id', '=', 'row.user_id'),
        )
        .select([
          'row.unit',
          'row.variant',
          'row.at',
          'feedback.at as ratedAt',
          'feedback.thumb',
          'feedback.score',
        ])
        .where('row.trial_id', '=', trialId)
        .where('row.number', '>=', from)
        .where((where) =>
          where.or([where('feedback.thumb', 'is not', null), where('feedback.score', 'is not', null)]),
        )
        .execute(),
    decide: async (trialId, verdict, alert) =>
      await db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('gateway_shadow_trials')
          .set({ verdict, decided_at: Math.floor(clock.now()) })
          .where('id', '=', trialId)
          .where('verdict', '=', 'undecided')
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await trx
          .insertInto('gateway_alerts')
          .values(alert)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
        return true;
      }),
    list: async () =>
      (
        await db
          .selectFrom('gateway_shadow_trials')
          .selectAll()
          .orderBy('created_at', 'desc')
          .orderBy('id')
          .limit(MAX_LISTED)
          .execute()
      ).map(trialOf),
    skips: async (trialId) =>
      Object.fromEntries(
        (
          await db
            .selectFrom('gateway_shadow_skips')
            .select(['reason', 'count'])
            .where('trial_id', '=', trialId)
            .orderBy('reason')
            .execute()
        ).map(({ reason, count }) => [reason, count]),
      ),
    newestWorkflow: async (experimentId) =>
      await db
        .selectFrom('gateway_workflows')
        .select('spec')
        .where('experiment_id', '=', experimentId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst(),
    async prune(now) {
      const trials = await db
        .selectFrom('gateway_shadow_trials')
        .select(['id', 'retention_ms'])
        .where('retention_ms', 'is not', null)
        .execute();
      for (const { id, retention_ms: retention } of trials) await pruneTrial(db, id, now - (retention ?? 0));
    },
  };
}

/** Keeps the number of values of a statement below the limits of the databases. */
const ROWS_PER_INSERT = 500;

async function insertRows(db: Kysely<Schema>, trialId: string, rows: readonly ComparedRow[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // The update locks the trial, so rows become visible in the order of their numbers.
    const trial = await trx
      .updateTable('gateway_shadow_trials')
      .set((row) => ({ row_count: sql<number>`${row.ref('row_count')} + ${sql.lit(rows.length)}` }))
      .where('id', '=', trialId)
      .returning('row_count')
      .executeTakeFirst();
    if (!trial) return;
    const owners = await existingUsers(trx, rows);
    const kept = rows.filter((row) => owners.has(row.user_id));
    if (kept.length === 0) return;
    await trx
      .insertInto('gateway_shadow_rows')
      .values(
        kept.map(({ scores, ...row }, at) => ({
          ...row,
          request_id: storableText(row.request_id),
          trial_id: trialId,
          number: trial.row_count - rows.length + at + 1,
          scores: JSON.stringify(scores),
        })),
      )
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  });
}

async function pruneTrial(db: Kysely<Schema>, trialId: string, before: number): Promise<void> {
  for (;;) {
    const old = await db
      .selectFrom('gateway_shadow_rows')
      .select('id')
      .where('trial_id', '=', trialId)
      .where('at', '<', Math.floor(before))
      .limit(ROWS_PER_DELETE)
      .execute();
    if (old.length === 0) return;
    const ids = old.map(({ id }) => id);
    await db.deleteFrom('gateway_shadow_rows').where('id', 'in', ids).execute();
  }
}

/** The users of rows who still exist. */
async function existingUsers(
  db: Kysely<Schema>,
  rows: readonly Pick<ComparedRow, 'user_id'>[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(rows.map((row) => row.user_id))];
  const found = await db
    .selectFrom('gateway_users')
    .select('user_id')
    .where('user_id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute();
  return new Set(found.map((row) => row.user_id));
}

const trialOf = (row: Schema['gateway_shadow_trials']): Trial => ({
  id: row.id,
  alias: row.alias,
  plan: parseJsonText(row.settings) as TrialPlan,
  createdAt: row.created_at,
  rows: row.row_count,
  verdict: row.verdict as SequentialVerdict,
  decidedAt: row.decided_at,
});
