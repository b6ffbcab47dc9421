import { rfc3339 } from '#core/time/rfc3339.ts';
import { verdictText } from '../../accounts/shadow/trial-report.ts';
import type { ShadowEvaluation } from '../../registry/shadow-registry.ts';
import { dollarsOf } from '../../shared/money.ts';
import { rfc3339OrNull } from '../http/values.ts';

interface Both {
  readonly baseline: number | null;
  readonly candidate: number | null;
}

const withDifference = ({ baseline, candidate }: Both) => ({
  baseline,
  candidate,
  difference: baseline === null || candidate === null ? null : candidate - baseline,
});

const NONE: Both = { baseline: null, candidate: null };
const dollars = (nanos: number | null): number | null =>
  nanos === null ? null : dollarsOf(BigInt(Math.round(nanos)));

export function shadowView({ alias, isCurrent, settings, problem, report }: ShadowEvaluation) {
  const { trial } = report ?? {};
  const cost = report?.cost ?? NONE;
  return {
    alias,
    candidate: trial?.plan.candidate ?? settings?.model ?? '',
    current: isCurrent,
    share: settings?.share ?? null,
    user: settings?.user ?? null,
    problem,
    verdict: report?.verdict ?? ('undecided' as const),
    message: report ? verdictText(report, report.trial) : 'not running',
    remaining_rows: report?.remaining ?? null,
    confidence: trial?.plan.confidence ?? settings?.confidence ?? 0,
    margin: trial?.plan.margin ?? settings?.margin ?? 0,
    rows: report?.rows ?? 0,
    failed: report?.failed ?? 0,
    metrics: [...(report?.metrics ?? [])],
    cost: withDifference({ baseline: dollars(cost.baseline), candidate: dollars(cost.candidate) }),
    scoring_cost: dollarsOf(report?.scoringCost ?? 0n),
    latency_p50_ms: withDifference(report?.p50Ms ?? NONE),
    latency_p95_ms: withDifference(report?.p95Ms ?? NONE),
    first_output_p50_ms: withDifference(report?.firstP50Ms ?? NONE),
    skipped: { ...report?.skipped },
    started_at: trial && trial.createdAt > 0 ? rfc3339(trial.createdAt) : null,
    decided_at: rfc3339OrNull(trial?.decidedAt ?? null),
  };
}
