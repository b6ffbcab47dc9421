import { parseSpan } from '#core/time/time-span.ts';
import { entriesOf } from '#core/values/keys.ts';
import { AB_DEFAULTS, type AbSettings, SUCCESS } from '../../requests/routing/ab-settings.ts';
import {
  isJudged,
  SHADOW_DEFAULTS,
  type ShadowSettings,
  SIMILARITY,
} from '../../requests/routing/shadow-settings.ts';
import type { Alias } from '../../requests/routing/routing.ts';
import type { AbEntry } from '../schemas/ab.ts';
import type { ShadowEntry } from '../schemas/shadow.ts';
import { RETENTION_RULE } from '../schemas/shapes.ts';

/** Reports a problem with a setting. */
type Report = (key: string, problem: string) => void;

interface Entries {
  readonly shadow?: ShadowEntry | undefined;
  readonly ab?: AbEntry | undefined;
}

/** Resolves how a candidate is evaluated with an alias with these targets and fallbacks. */
export function resolveEvaluation(
  { shadow, ab }: Entries,
  baseline: readonly string[],
  modelProblem: (model: string) => string | undefined,
  report: (section: keyof Entries, key: string | undefined, problem: string) => void,
): Pick<Alias, 'shadow' | 'ab'> {
  if (shadow && ab) report('ab', undefined, 'cannot be combined with `shadow`; remove one of them');
  for (const [section, entry] of entriesOf({ shadow, ab }))
    if (entry && baseline.length > 0 && baseline.every((model) => model === entry.model))
      report(
        section,
        'model',
        `${JSON.stringify(entry.model)} is the alias's only model; choose another candidate`,
      );
  return {
    ...(shadow && {
      shadow: resolveShadow(shadow, baseline, modelProblem, (key, text) => report('shadow', key, text)),
    }),
    ...(ab && { ab: resolveAb(ab, baseline, modelProblem, (key, text) => report('ab', key, text)) }),
  };
}

function resolveAb(
  entry: AbEntry,
  baseline: readonly string[],
  modelProblem: (model: string) => string | undefined,
  report: Report,
): AbSettings {
  const { model, judge, user } = entry;
  for (const [key, text] of Object.entries({ model, judge })) {
    const problem = text === undefined ? undefined : modelProblem(text);
    if (problem !== undefined) report(key, problem);
  }
  const metrics = [...new Set([...(entry.metrics ?? AB_DEFAULTS.metrics), SUCCESS])];
  const judged = metrics.filter(isJudged);
  for (const [key, value] of Object.entries({ judge, user }))
    if (judged.length > 0 && value === undefined)
      report(key, `must be set, because a judge scores ${judged.join(' and ')}`);
  const window = entry.window ?? AB_DEFAULTS.window;
  const windowMs = parseSpan(window);
  if (windowMs === undefined || windowMs <= 0)
    report('window', `expected a time such as 12h or 7d, found ${JSON.stringify(window)}`);
  const retention = entry.retention ?? SHADOW_DEFAULTS.retention;
  const retentionMs = retentionOf(retention, report);
  // A user is counted when the window is over, and needs the recorded requests until then.
  if (windowMs !== undefined && retentionMs !== undefined && retentionMs > 0 && windowMs >= retentionMs)
    report(
      'window',
      `${JSON.stringify(window)} is not shorter than the retention (${retention}), so no user would be counted; use a shorter window or a longer retention`,
    );
  return {
    baseline: [...new Set(baseline)].sort(),
    model,
    share: entry.share,
    by: entry.by ?? AB_DEFAULTS.by,
    metrics,
    judge,
    user,
    judgeShare: entry.judge_share ?? AB_DEFAULTS.judgeShare,
    maxScore: entry.max_score ?? AB_DEFAULTS.maxScore,
    windowMs: windowMs ?? 0,
    margin: entry.margin ?? SHADOW_DEFAULTS.margin,
    confidence: entry.confidence ?? SHADOW_DEFAULTS.confidence,
    maxRows: entry.max_rows ?? AB_DEFAULTS.maxRows,
    retentionMs,
  };
}

/**
 * Resolves the `shadow` section of an alias with these targets and fallbacks. `modelProblem` returns why a model cannot be used; undefined if it
 * can.
 */
function resolveShadow(
  entry: ShadowEntry,
  baseline: readonly string[],
  modelProblem: (model: string) => string | undefined,
  report: Report,
): ShadowSettings {
  const { model, judge, embedder, experiment, rubric, share, user } = entry;
  for (const [key, text] of Object.entries({ model, judge, embedder })) {
    const problem = text === undefined ? undefined : modelProblem(text);
    if (problem !== undefined) report(key, problem);
  }
  const metrics = entry.metrics ?? (experiment === undefined ? SHADOW_DEFAULTS.metrics : undefined);
  if (experiment === undefined && judge === undefined && metrics?.some(isJudged))
    report('judge', `must be set, because a judge scores ${metrics.filter(isJudged).join(' and ')}`);
  if (embedder === undefined && metrics?.includes(SIMILARITY))
    report('embedder', `must be set for the metric ${SIMILARITY}`);
  return {
    baseline: [...new Set(baseline)].sort(),
    model,
    share,
    user,
    experiment,
    metrics: metrics && [...new Set(metrics)],
    judge,
    rubric,
    embedder,
    margin: entry.margin ?? SHADOW_DEFAULTS.margin,
    confidence: entry.confidence ?? SHADOW_DEFAULTS.confidence,
    maxRows: entry.max_rows ?? SHADOW_DEFAULTS.maxRows,
    retentionMs: retentionOf(entry.retention ?? SHADOW_DEFAULTS.retention, report),
  };
}

function retentionOf(text: string, report: Report): number | undefined {
  if (text === 'forever') return undefined;
  const milliseconds = parseSpan(text);
  if (milliseconds === undefined || milliseconds <= 0)
    report('retention', `expected ${RETENTION_RULE}, found ${JSON.stringify(text)}`);
  return milliseconds;
}
