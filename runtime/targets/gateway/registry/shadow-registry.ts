import { AppError } from '#contract/errors.ts';
import type { NewTrial, ShadowRecords, Trial } from '../accounts/shadow/shadow-records.ts';
import { reportTrial, type TrialReport } from '../accounts/shadow/trial-report.ts';
import type { ShadowSettings } from '../requests/routing/shadow-settings.ts';
import { type EntryRegistry, type RegisteredAlias } from './registry.ts';

/** An evaluation of a candidate, running or ended. */
export interface ShadowEvaluation {
  readonly alias: string;
  /** Whether the alias has these settings now. */
  readonly isCurrent: boolean;
  /** Undefined for an evaluation that has ended because the alias has other settings. */
  readonly settings: ShadowSettings | undefined;
  /** Why the evaluation cannot run. */
  readonly problem: string | null;
  /** Undefined if it cannot run. */
  readonly report: TrialReport | undefined;
}

export interface ShadowRegistry {
  /** The configured evaluations by alias, followed by ended ones, newest first. */
  list(): Promise<readonly ShadowEvaluation[]>;
  /** The alias's configured evaluation. Throws a NotFoundError without one. */
  get(alias: string): Promise<ShadowEvaluation>;
  /**
   * Makes the candidate the alias's only target and ends the evaluation. Throws a ConflictError for an alias in the
   * file and, without `force`, unless the candidate is not worse.
   */
  promote(alias: string, force: boolean): Promise<RegisteredAlias>;
}

interface ShadowRegistryParts {
  readonly aliases: Pick<EntryRegistry<RegisteredAlias>, 'list' | 'get' | 'change'>;
  readonly records: ShadowRecords;
  readonly trialOf: (alias: string, settings: ShadowSettings) => Promise<NewTrial>;
}

export function createShadowRegistry({ aliases, records, trialOf }: ShadowRegistryParts): ShadowRegistry {
  const currentOf = async (alias: string, settings: ShadowSettings): Promise<ShadowEvaluation> => {
    const about = { alias, isCurrent: true, settings };
    try {
      const trial = await trialOf(alias, settings);
      const known = (await records.find(trial.id)) ?? newTrial(trial);
      return { ...about, problem: null, report: await reportTrial(records, { ...known, plan: trial.plan }) };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'InputError') throw error;
      return { ...about, problem: error.message, report: undefined };
    }
  };
  const get = async (alias: string): Promise<ShadowEvaluation> => {
    const { value } = await aliases.get(alias);
    return value?.shadow ? await currentOf(alias, value.shadow) : missingEvaluation(alias);
  };
  return {
    get,
    async list() {
      const current: ShadowEvaluation[] = [];
      for (const { name, value } of await aliases.list())
        if (value?.shadow) current.push(await currentOf(name, value.shadow));
      const known = new Set(current.map(({ report }) => report?.trial.id));
      const ended: ShadowEvaluation[] = [];
      for (const trial of await records.list()) {
        if (known.has(trial.id)) continue;
        const report = await reportTrial(records, trial);
        ended.push({ alias: trial.alias, isCurrent: false, settings: undefined, problem: null, report });
      }
      return [...current, ...ended];
    },
    async promote(alias, force) {
      const { source, value } = await aliases.get(alias);
      if (!value?.shadow) return missingEvaluation(alias);
      const { model } = value.shadow;
      if (source === 'file')
        throw new AppError(
          'ConflictError',
          `Alias '${alias}' is in the configuration file. Set its \`targets\` to [${model}] and remove \`shadow\` there.`,
          { reason: 'alias_in_file' },
        );
      const verdict = (await get(alias)).report?.verdict ?? 'undecided';
      if (verdict !== 'not_worse' && !force)
        throw new AppError(
          'ConflictError',
          `The verdict on ${model} is ${verdict}. Wait for the verdict not_worse, or force the promotion.`,
          { reason: 'not_established' },
        );
      return await aliases.change(alias, { targets: [{ model }], shadow: null });
    },
  };
}

const missingEvaluation = (alias: string): never => {
  throw new AppError('NotFoundError', `Alias '${alias}' has no shadow evaluation. Set its \`shadow\`.`, {
    reason: 'shadow_not_found',
  });
};

const newTrial = ({ id, alias, plan }: NewTrial): Trial => ({
  id,
  alias,
  plan,
  createdAt: 0,
  rows: 0,
  verdict: 'undecided',
  decidedAt: null,
});
