import { rfc3339 } from '#core/time/rfc3339.ts';
import { type Comparison, verdictText } from '../../accounts/shadow/trial-report.ts';
import type { ShadowEvaluation } from '../../registry/shadow-registry.ts';
import type { AbUnit } from '../../requests/routing/ab-settings.ts';
import { dollarsOf } from '../../shared/money.ts';
import { rfc3339OrNull } from '../http/values.ts';

const NONE: Comparison = { baseline: null, candidate: null, difference: null, lower: null, upper: null };
const dollars = (nanos: number | null): number | null =>
  nanos === null ? null : dollarsOf(BigInt(Math.round(nanos)));
const inDollars = ({ baseline, candidate, difference, lower, upper }: Comparison): Comparison => ({
  baseline: dollars(baseline),
  candidate: dollars(candidate),
  difference: dollars(difference),
  lower: dollars(lower),
  upper: dollars(upper),
});

export function shadowView({ alias, isCurrent, settings, problem, report, unusable }: ShadowEvaluation) {
  const { trial } = report ?? {};
  const ab = settings && 'by' in settings ? settings : undefined;
  return {
    alias,
    mode: unusable?.mode ?? (ab || trial?.plan.ab ? ('ab' as const) : ('shadow' as const)),
    candidate: trial?.plan.candidate ?? settings?.model ?? unusable?.candidate ?? '',
    current: isCurrent,
    share: settings?.share ?? null,
    user: settings?.user ?? null,
    by: (trial?.plan.ab?.by as AbUnit | undefined) ?? ab?.by ?? null,
    users: report?.units ? { ...report.units } : null,
    problem,
    verdict: report?.verdict ?? ('undecided' as const),
    message: report ? verdictText(report, report.trial) : 'not running',
    remaining_rows: report?.remaining ?? null,
    confidence: trial?.plan.confidence ?? settings?.confidence ?? 0,
    margin: trial?.plan.margin ?? settings?.margin ?? 0,
    rows: report?.rows ?? 0,
    failed: report?.failed ?? 0,
    metrics: [...(report?.metrics ?? [])],
    cost: inDollars(report?.cost ?? NONE),
    scoring_cost: dollarsOf(report?.scoringCost ?? 0n),
    latency_p50_ms: report?.p50Ms ?? NONE,
    latency_p95_ms: report?.p95Ms ?? NONE,
    first_output_p50_ms: report?.firstP50Ms ?? NONE,
    output_tokens: report?.outputTokens ?? NONE,
    skipped: { ...report?.skipped },
    started_at: trial && trial.createdAt > 0 ? rfc3339(trial.createdAt) : null,
    decided_at: rfc3339OrNull(trial?.decidedAt ?? null),
  };
}
