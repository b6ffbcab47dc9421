import { parseSpan } from '#core/time/time-span.ts';
import {
  isJudged,
  SHADOW_DEFAULTS,
  type ShadowSettings,
  SIMILARITY,
} from '../../requests/routing/shadow-settings.ts';
import type { ShadowEntry } from '../schemas/shadow.ts';
import { RETENTION_RULE } from '../schemas/shapes.ts';

/** Reports a problem with a setting. */
type Report = (key: string, problem: string) => void;

/**
 * Resolves the `shadow` section of an alias with these targets and fallbacks. `modelProblem` returns why a model cannot be used; undefined if it
 * can.
 */
export function resolveShadow(
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
