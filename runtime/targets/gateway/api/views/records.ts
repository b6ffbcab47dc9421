import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { EXHAUSTION_FORECAST } from '../../accounts/ledger/budget-alerts.ts';
import { tagsIn } from '../../accounts/ledger/tags-in.ts';
import { withoutGroups } from '../../accounts/ledger/trends/sum-points.ts';
import type {
  GroupedSpeeds,
  GroupedTrend,
  SpeedSummary,
  Trend,
  SpeedInterval,
  TrendRange,
  TrendTotals,
} from '../../accounts/ledger/trends/trends-api.ts';
import type { UsageGrouping, UsageReports, UsageTotals } from '../../accounts/ledger/usage-api.ts';
import type { PromptHead } from '../../accounts/prompts/prompt-log.ts';
import { alertData } from '../../alerts/alert-message.ts';
import type { GatewayContext } from '../../context.ts';
import type { LiveRequest } from '../../requests/completions/completion.ts';
import { dollarsOf } from '../../shared/money.ts';
import { costOf, ratesFor, tokenParts, type TokenPrice } from '../../shared/price.ts';
import type { AlertRow, AuditRow, PromptRow, GuardrailHitRow } from '../../store/record-schema.ts';
import type { UsageRow } from '../../store/schema.ts';
import { rfc3339OrNull, dollarsOrNull } from '../http/values.ts';

/** `error_detail` and `provider_key` are included only for administrators. */
export const usageLogView = (row: UsageRow, isAdmin: boolean) => ({
  id: row.id,
  user_id: row.user_id,
  api_key_id: row.api_key_id,
  team_id: row.team_id,
  organization_id: row.organization_id,
  timestamp: rfc3339(row.timestamp),
  model: row.model,
  provider: row.provider,
  endpoint: row.endpoint,
  prompt_tokens: row.prompt_tokens,
  completion_tokens: row.completion_tokens,
  cached_tokens: row.cached_tokens,
  cache_write_tokens: row.cache_write_tokens,
  cache_write_1h_tokens: row.cache_write_1h_tokens,
  total_tokens: row.total_tokens,
  cost: dollarsOrNull(row.cost_nano),
  cache_saved: dollarsOrNull(row.cache_saved_nano),
  priced_by: row.priced_by,
  status: row.status,
  error_message: row.error_message,
  ...(isAdmin && row.error_detail !== null && { error_detail: row.error_detail }),
  ...(isAdmin && row.provider_key !== null && { provider_key: row.provider_key }),
  status_code: row.status_code,
  latency_ms: row.latency_ms,
  ttft_ms: row.ttft_ms,
  usage_estimated: row.estimated === 1,
  request_id: row.request_id,
  end_user: row.end_user,
  cache_hit: cacheHitOf(row),
  tags: tagsIn(row),
  units: row.units === null ? {} : (parseJsonText(row.units) as Record<string, number>),
  attempt: row.attempt,
});

const cacheHitOf = ({ cache_hit: hit }: UsageRow): 'exact' | 'semantic' | null =>
  hit === 'exact' || hit === 'semantic' ? hit : null;

export const usageTotalsView = (totals: UsageTotals) => ({
  requests: totals.requests,
  errors: totals.errors,
  cancelled: totals.cancelled,
  prompt_tokens: totals.promptTokens,
  completion_tokens: totals.completionTokens,
  cached_tokens: totals.cachedTokens,
  cache_write_tokens: totals.cacheWriteTokens,
  cache_write_1h_tokens: totals.cacheWrite1hTokens,
  total_tokens: totals.totalTokens,
  cost: dollarsOf(totals.cost),
  cache_saved: dollarsOf(totals.cacheSaved),
});

type Group = Awaited<ReturnType<UsageReports['groups']>>[number];
type Point = Awaited<ReturnType<UsageReports['series']>>[number];

export const usageGroupView = (by: readonly UsageGrouping[], { group, ...sums }: Group) => ({
  group: Object.fromEntries(by.map((word, place) => [word, group[place] ?? null])),
  ...usageTotalsView(sums),
});

export const usagePointView = ({ start, ...sums }: Point) => ({
  start: rfc3339(start),
  ...usageTotalsView(sums),
});

export const liveRequestView = (one: LiveRequest, now: number) => ({
  request_id: one.requestId,
  endpoint: one.endpoint,
  started_at: rfc3339(one.startedAt),
  duration_ms: Math.max(0, Math.round(now - one.startedAt)),
  user_id: one.userId ?? null,
  api_key_id: one.keyId ?? null,
  team_id: one.teamId ?? null,
  model: one.model ?? null,
  attempts: one.attempts.map(({ target, outcome, failure, durationMs }) => ({
    model: target,
    outcome,
    failure: failure ?? null,
    duration_ms: Math.max(0, Math.round(durationMs)),
  })),
});

/** Part of a request's cost. */
interface CostPart {
  readonly part: 'input' | 'cached_input' | 'cache_write' | 'cache_write_1h' | 'output' | 'other';
  /** The number of tokens; null for anything that is not billed by tokens. */
  readonly tokens: number | null;
  readonly price_per_million: number | null;
  readonly cost: number;
}

/** The parts of a cost; undefined if the cost, or the price from which it was computed, is unknown. */
export async function costParts(
  { state, models }: Pick<GatewayContext, 'state' | 'models'>,
  row: UsageRow,
): Promise<readonly CostPart[] | undefined> {
  if (row.cost_nano === null || row.cost_nano === 0n) return undefined;
  const price = await priceOf({ state, models }, row);
  if (!price) return undefined;
  const counts = {
    input: row.prompt_tokens ?? 0,
    cachedInput: row.cached_tokens ?? 0,
    cacheWrite: row.cache_write_tokens ?? 0,
    cacheWrite1h: row.cache_write_1h_tokens ?? 0,
    output: row.completion_tokens ?? 0,
  };
  const tokenCost = costOf(counts, { ...price, units: undefined, audio: undefined });
  const rest = row.cost_nano - tokenCost;
  const hasUnits = row.units !== null && Object.keys(parseJsonText(row.units) as object).length > 0;
  if (rest !== 0n && !(hasUnits && rest > 0n)) return undefined;
  const parts = tokenParts(counts, ratesFor(counts.input, price))
    .filter(({ tokens }) => tokens > 0)
    .map(({ part, tokens, rate }) => ({
      part,
      tokens,
      price_per_million: dollarsOf(rate),
      cost: dollarsOf((BigInt(tokens) * rate + 500_000n) / 1_000_000n),
    }));
  const other = { part: 'other', tokens: null, price_per_million: null, cost: dollarsOf(rest) } as const;
  return rest === 0n ? parts : [...parts, other];
}

/** The price at the time of the request. */
async function priceOf(
  { state, models }: Pick<GatewayContext, 'state' | 'models'>,
  row: UsageRow,
): Promise<TokenPrice | undefined> {
  const startedAt = row.timestamp - (row.latency_ms ?? 0);
  const own = await state.prices.at(row.model, startedAt);
  if (own || row.provider === null) return own;
  const held = models.hold();
  try {
    const listedAs = held.set.router.provider(row.provider)?.listedAs;
    if (listedAs === undefined) return undefined;
    const listed = await state.priceMaps.find(listedAs, row.model.slice(row.model.indexOf(':') + 1));
    return listed?.price;
  } finally {
    held.release();
  }
}

const rangeView = ({ from, to }: TrendRange) => ({ from: rfc3339(from), to: rfc3339(to) });

const totalsView = (totals: TrendTotals) => ({
  requests: totals.requests,
  errors: totals.errors,
  prompt_tokens: totals.promptTokens,
  completion_tokens: totals.completionTokens,
  cached_tokens: totals.cachedTokens,
  cache_write_tokens: totals.cacheWriteTokens,
  total_tokens: totals.totalTokens,
  cost: dollarsOf(totals.cost),
  cache_saved: dollarsOf(totals.cacheSaved),
});

const trendView = ({ totals, points }: Trend) => ({
  totals: totalsView(totals),
  points: points.map((point) => ({ start: rfc3339(point.start), ...totalsView(point) })),
});

/** The first groups, and all others combined. */
export function spendingView(
  trend: GroupedTrend,
  { range, top, series }: { readonly range: TrendRange; readonly top: number; readonly series: number },
) {
  const first = trend.groups.slice(0, top);
  const rest = trend.groups.length - first.length;
  return {
    ...rangeView(range),
    interval: range.interval,
    time_zone: range.timeZone,
    ...trendView(trend),
    groups: first.map(({ group, ...one }) => ({ group, ...trendView(one) })),
    others: rest === 0 ? null : { groups: rest, ...trendView(withoutGroups(trend, first, series >= top)) },
  };
}

const speedsView = ({ answers, latency: duration, firstOutput, tokensPerSecond }: SpeedSummary) => ({
  answers,
  latency_ms: { ...duration },
  ttft_ms: { ...firstOutput },
  tokens_per_second: { ...tokensPerSecond },
});

export const latencyView = (
  range: TrendRange<SpeedInterval>,
  { all, points, groups }: GroupedSpeeds,
  top: number,
) => ({
  ...rangeView(range),
  interval: range.interval,
  all: speedsView(all),
  points: points.map(({ start, ...one }) => ({ start: rfc3339(start), ...speedsView(one) })),
  groups: groups.slice(0, top).map(({ group, ...one }) => ({ group, ...speedsView(one) })),
});

export const auditEventView = ({ at, before, after, actor, outcome, ...row }: AuditRow) => ({
  ...row,
  at: rfc3339(at),
  actor,
  outcome,
  before: stateOf(before),
  after: stateOf(after),
});

const stateOf = (text: string | null): Record<string, unknown> | null =>
  text === null ? null : { ...membersOf(parseJsonText(text)) };

export const promptHeadView = ({ at, status, tags, truncated, ...head }: PromptHead) => ({
  ...head,
  at: rfc3339(at),
  status,
  tags: tags === null ? [] : (parseJsonText(tags) as readonly string[]),
  truncated: truncated === 1,
});

export const promptView = ({ request, answer, ...head }: PromptRow) => ({
  ...promptHeadView(head),
  request,
  answer,
});

export function alertView(row: AlertRow) {
  const { id, message, account, ...data } = alertData(row);
  return {
    id,
    type:
      row.kind === EXHAUSTION_FORECAST
        ? EXHAUSTION_FORECAST
        : row.details !== null
          ? ('shadow.verdict_reached' as const)
          : row.threshold === null
            ? ('budget.request_refused' as const)
            : ('budget.threshold_reached' as const),
    message,
    account,
    ...data,
    created_at: rfc3339(row.created_at),
    state: row.state,
    attempts: row.attempts,
    next_attempt_at: row.state === 'pending' ? rfc3339(row.next_attempt_at) : null,
    sent_at: rfc3339OrNull(row.sent_at),
    problem: row.problem,
  };
}

export const hitView = ({ at, mode, place, ...row }: GuardrailHitRow) => ({
  ...row,
  at: rfc3339(at),
  mode,
  place,
});
