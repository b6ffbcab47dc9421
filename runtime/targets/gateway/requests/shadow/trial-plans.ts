import { AppError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { NewTrial, ShadowRecords, TrialPlan } from '../../accounts/shadow/shadow-records.ts';
import { trialIdOf } from '../../accounts/shadow/trial-id.ts';
import type { EvaluationSpec } from '../../evaluation/work/work.ts';
import type { AbSettings } from '../routing/ab-settings.ts';
import { abTrialOf } from '../routing/ab-tests.ts';
import {
  isJudged,
  SHADOW_DEFAULTS,
  SHADOW_METRICS,
  type ShadowSettings,
} from '../routing/shadow-settings.ts';

type Templates = Pick<ShadowRecords, 'newestWorkflow'>;

/** An alias's evaluation or A/B test as configured, with the metrics and the judge of its experiment. */
export async function trialOfSettings(
  records: Templates,
  alias: string,
  settings: ShadowSettings | AbSettings,
): Promise<NewTrial> {
  if ('by' in settings) return abTrialOf(alias, settings);
  const { experiment } = settings;
  const template = experiment === undefined ? undefined : await templateOf(records, experiment, settings);
  const judge = settings.judge ?? template?.judge;
  const metrics = settings.metrics ?? template?.metrics ?? SHADOW_DEFAULTS.metrics;
  const judged = metrics.filter(isJudged);
  if (judged.length > 0 && judge === undefined)
    throw new AppError(
      'InputError',
      `The metrics ${judged.join(', ')} require a judge. Set \`shadow.judge\`.`,
    );
  const plan: TrialPlan = {
    baseline: settings.baseline,
    candidate: settings.model,
    metrics,
    // Agreement with the current model does not make a response better or worse if a judge compares them.
    deciding: judged.length > 0 ? judged : metrics,
    judge,
    rubric: settings.rubric,
    embedder: settings.embedder,
    margin: settings.margin,
    confidence: settings.confidence,
    maxRows: settings.maxRows,
  };
  return { id: trialIdOf(alias, plan), alias, plan, retentionMs: settings.retentionMs };
}

/** The metrics and the judge of an experiment's newest workflow. Metrics that evaluations do not have are left out. */
async function templateOf(
  records: Templates,
  experiment: string,
  { metrics: own }: ShadowSettings,
): Promise<Partial<Pick<TrialPlan, 'metrics' | 'judge'>>> {
  const row = await records.newestWorkflow(experiment);
  if (!row)
    throw new AppError('InputError', `Experiment '${experiment}' does not exist or has no workflows.`);
  const { metrics, judge } = (parseJsonText(row.spec) as { readonly evaluation: EvaluationSpec }).evaluation;
  const known = metrics.filter((name) => SHADOW_METRICS.includes(name));
  if (known.length === 0 && own === undefined)
    throw new AppError(
      'InputError',
      `The experiment's metrics (${metrics.join(', ')}) need references. Set \`shadow.metrics\`.`,
    );
  return {
    ...(known.length > 0 && { metrics: known }),
    ...(judge?.backend.kind === 'gateway' && { judge: judge.backend.model }),
  };
}
