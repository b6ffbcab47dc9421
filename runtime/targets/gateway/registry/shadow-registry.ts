import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { remember } from '#core/limits/remember.ts';
import type { Users } from '../accounts/identity/identity.ts';
import type { EntrySettings } from '../accounts/registry/model-entries.ts';
import type { NewTrial, ShadowRecords, Trial } from '../accounts/shadow/shadow-records.ts';

import { reportOf } from '../accounts/shadow/trial-monitor.ts';
import type { TrialReport } from '../accounts/shadow/trial-report.ts';
import type { AbSettings } from '../requests/routing/ab-settings.ts';
import type { Alias } from '../requests/routing/routing.ts';
import { isJudged, type ShadowSettings } from '../requests/routing/shadow-settings.ts';
import { type EntryRegistry, type RegisteredAlias } from './registry.ts';

type Settings = ShadowSettings | AbSettings;

/** A shadow evaluation or an A/B test of a candidate, running or ended. */
export interface ShadowEvaluation {
  readonly alias: string;
  /** Whether the alias has these settings now. */
  readonly isCurrent: boolean;
  /** Undefined for an evaluation that has ended because the alias has other settings. */
  readonly settings: Settings | undefined;
  /** Why the evaluation cannot run. */
  readonly problem: string | null;
  /** Undefined if it cannot run. */
  readonly report: TrialReport | undefined;
  /** What is known of settings that cannot be used, e.g. because the candidate's provider was deleted. */
  readonly unusable?: { readonly mode: 'ab' | 'shadow'; readonly candidate: string };
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
  readonly users: Pick<Users, 'get'>;
  readonly trialOf: (alias: string, settings: Settings) => Promise<NewTrial>;
  readonly now: () => number;
}

/** Reports of ended evaluations are read again after this time. */
const KEPT_MS = 600_000;
const MAX_KEPT = 200;

/** An alias has either a shadow evaluation or an A/B test. */
const settingsOf = (alias: Alias | undefined): Settings | undefined => alias?.ab ?? alias?.shadow;

/** The evaluation of an alias in the database whose settings cannot be used; undefined if it has none. */
function unusableOf({ name, stored, value, problem }: RegisteredAlias): ShadowEvaluation | undefined {
  if (problem === null || settingsOf(value)) return undefined;
  const about = { alias: name, isCurrent: true, settings: undefined, problem, report: undefined };
  const settings: EntrySettings = stored?.settings ?? {};
  const found = (['ab', 'shadow'] as const).find((mode) => isObject(settings[mode]));
  if (found === undefined) return undefined;
  const candidate = isObject(settings[found]) ? settings[found]['model'] : undefined;
  return {
    ...about,
    unusable: { mode: found, candidate: typeof candidate === 'string' ? candidate : '' },
  };
}

export function createShadowRegistry({
  aliases,
  records,
  users,
  trialOf,
  now,
}: ShadowRegistryParts): ShadowRegistry {
  const currentOf = async (alias: string, settings: Settings): Promise<ShadowEvaluation> => {
    const about = { alias, isCurrent: true, settings };
    try {
      const trial = await trialOf(alias, settings);
      const known = (await records.find(trial.id)) ?? newTrial(trial);
      return {
        ...about,
        problem: await payerProblem(users, settings),
        report: await reportOf(records, { ...known, plan: trial.plan }, now()),
      };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'InputError') throw error;
      return { ...about, problem: error.message, report: undefined };
    }
  };
  /** Reports of ended evaluations, which only change as their rows expire. */
  const kept = new Map<string, { readonly report: TrialReport; readonly until: number }>();
  const endedReport = async (trial: Trial): Promise<TrialReport> => {
    const known = kept.get(trial.id);
    if (known && known.until > now() && known.report.trial.rows === trial.rows) return known.report;
    const report = await reportOf(records, trial, now());
    // The users of an A/B test that wait are still counted as time passes.
    if (!report.units?.waiting) remember(kept, trial.id, { report, until: now() + KEPT_MS }, MAX_KEPT);
    return report;
  };
  const get = async (alias: string): Promise<ShadowEvaluation> => {
    const entry = await aliases.get(alias);
    const settings = settingsOf(entry.value);
    if (settings) return await currentOf(alias, settings);
    return unusableOf(entry) ?? missingEvaluation(alias);
  };
  return {
    get,
    async list() {
      const current: ShadowEvaluation[] = [];
      for (const entry of await aliases.list()) {
        const settings = settingsOf(entry.value);
        const one = settings ? await currentOf(entry.name, settings) : unusableOf(entry);
        if (one) current.push(one);
      }
      const known = new Set(current.map(({ report }) => report?.trial.id));
      const ended: ShadowEvaluation[] = [];
      for (const trial of await records.list()) {
        if (known.has(trial.id)) continue;
        const report = await endedReport(trial);
        ended.push({ alias: trial.alias, isCurrent: false, settings: undefined, problem: null, report });
      }
      return [...current, ...ended];
    },
    async promote(alias, force) {
      const entry = await aliases.get(alias);
      const { source, value } = entry;
      const settings = settingsOf(value);
      if (!settings) {
        const { problem } = unusableOf(entry) ?? missingEvaluation(alias);
        throw new AppError(
          'ConflictError',
          `The candidate of alias '${alias}' cannot be promoted: ${problem}`,
          {
            reason: 'not_established',
          },
        );
      }
      const { model } = settings;
      const section = value?.ab ? 'ab' : 'shadow';
      if (source === 'file')
        throw new AppError(
          'ConflictError',
          `Alias '${alias}' is in the configuration file. Set its \`targets\` to [${model}] and remove \`${section}\` there.`,
          { reason: 'alias_in_file' },
        );
      const verdict = (await get(alias)).report?.verdict ?? 'undecided';
      if (verdict !== 'not_worse' && !force)
        throw new AppError(
          'ConflictError',
          `The verdict on ${model} is ${verdict}. Wait for the verdict not_worse, or force the promotion.`,
          { reason: 'not_established' },
        );
      return await aliases.change(alias, { targets: [{ model }], [section]: null });
    },
  };
}

/** Why the user who pays cannot; null if the user can, or if nothing is to be paid. */
async function payerProblem(users: Pick<Users, 'get'>, settings: Settings): Promise<string | null> {
  const { user } = settings;
  const isTest = 'by' in settings;
  if (user === undefined || (isTest && !settings.metrics.some(isJudged))) return null;
  try {
    await users.get(user);
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NotFoundError') throw error;
    return `User '${user}', who pays for the evaluation, does not exist. Create the user, or set another \`${isTest ? 'ab' : 'shadow'}.user\`.`;
  }
}

const missingEvaluation = (alias: string): never => {
  throw new AppError(
    'NotFoundError',
    `Alias '${alias}' has neither a shadow evaluation nor an A/B test. Set its \`shadow\` or \`ab\`.`,
    {
      reason: 'shadow_not_found',
    },
  );
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
