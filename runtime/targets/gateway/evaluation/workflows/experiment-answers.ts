import type { AnswerCache } from '../../requests/cache/answer-cache.ts';
import type { CacheEntry } from '../../requests/cache/stored-entries.ts';
import { CACHE_DEFAULTS, type CacheSettings } from '../../requests/cache/cache-settings.ts';
import type { CurrentModels } from '../../requests/models/model-set.ts';
import type { Clock } from '#platform/clock.ts';
import { sha256 } from '#platform/sha256.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Store } from '../../store/store.ts';
import type { Job } from '../jobs/job.ts';
import type { KeptAnswer } from '../work/work.ts';

/** Language model responses shared by all of an experiment's workflows, in the gateway's response cache. */
export interface ExperimentAnswers {
  /** Whether a job uses its experiment's responses. */
  isShared(job: Job): boolean;
  /** The cached responses with these keys, in the same order; null for a key without one. */
  find(job: Job, keys: readonly string[]): Promise<readonly (KeptAnswer | null)[]>;
  keep(job: Job, answers: readonly (KeptAnswer & { readonly key: string })[]): Promise<void>;
}

interface AnswerParts {
  readonly db: Store['db'];
  readonly cache: Pick<AnswerCache, 'findAll' | 'keepAll'>;
  readonly models: CurrentModels;
  readonly clock: Pick<Clock, 'now'>;
}

const DAY_MS = 86_400_000;

/** Experiments are repeated and extended within weeks. Deleting an experiment also deletes its responses. */
const SETTINGS: CacheSettings = { ...CACHE_DEFAULTS, store: 'database', ttlMs: 30 * DAY_MS };

export function createExperimentAnswers({ db, cache, models, clock }: AnswerParts): ExperimentAnswers {
  const isShared = ({ workflowId, spec }: Job): boolean =>
    workflowId !== null && spec.sharesAnswers !== false;
  const experimentOf = async (job: Job): Promise<string | undefined> => {
    if (!isShared(job)) return undefined;
    const workflows = db.selectFrom('gateway_workflows').where('id', '=', job.workflowId ?? '');
    return (await workflows.select('experiment_id').executeTakeFirst())?.experiment_id;
  };
  /** The key in the database. When an alias gets other targets, earlier responses are no longer found. */
  const keyIn = (experimentId: string, { spec }: Job): ((key: string) => string) => {
    const backends = spec.type === 'evaluation' ? [spec.judge?.backend] : [spec.backend];
    const scope = [
      experimentId,
      ...backends.map((one) => (one?.kind === 'gateway' ? targetsOf(one.model) : null)),
    ];
    return (key) => sha256(JSON.stringify([scope, key]));
  };
  const targetsOf = (model: string): readonly string[] => {
    const held = models.hold();
    try {
      return held.set.router.resolve(model).targets.map(({ key }) => key);
    } catch {
      // The worker's request reports the reason.
      return [];
    } finally {
      held.release();
    }
  };
  return {
    isShared,
    async find(job, keys) {
      const experimentId = await experimentOf(job);
      if (experimentId === undefined) return keys.map(() => null);
      const entries = await cache.findAll(keys.map(keyIn(experimentId, job)), SETTINGS);
      return entries.map((entry) =>
        entry ? (parseJsonText(Buffer.from(entry.body).toString()) as KeptAnswer) : null,
      );
    },
    async keep(job, answers) {
      const experimentId = await experimentOf(job);
      if (experimentId === undefined) return;
      const stored = keyIn(experimentId, job);
      const createdAt = Math.floor(clock.now());
      const entries = answers.map(({ key, ...answer }): CacheEntry => {
        const { promptTokens, completionTokens } = answer;
        return {
          key: stored(key),
          body: Buffer.from(JSON.stringify(answer)),
          target: '',
          keyId: null,
          promptTokens,
          completionTokens,
          droppedTools: [],
          createdAt,
          expiresAt: createdAt + SETTINGS.ttlMs,
          experimentId,
        };
      });
      const small = entries.filter(({ body }) => body.length <= SETTINGS.maxAnswerBytes);
      if (small.length > 0) cache.keepAll(small, SETTINGS);
    },
  };
}
