import { usageStatusOf } from '../../accounts/ledger/ledger.ts';
import type { Static } from 'typebox';
import { dollarsOf } from '../../shared/money.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { tagsIn } from '../../accounts/ledger/tags-in.ts';
import type { UsageGrouping, UsageReports, UsageTotals } from '../../accounts/ledger/usage-api.ts';
import type { UsageRow } from '../../store/schema.ts';
import type { usageLogs, usageReport } from './schemas.ts';
import { dollarsOrNull } from '../http/money-view.ts';

/** `error_detail` is included only for administrators. */
export const usageLogView = (row: UsageRow, isAdmin: boolean): Static<typeof usageLogs>[number] => ({
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
  priced_by: row.priced_by,
  status: usageStatusOf(row.status),
  error_message: row.error_message,
  ...(isAdmin && row.error_detail !== null && { error_detail: row.error_detail }),
  status_code: row.status_code,
  latency_ms: row.latency_ms,
  ttft_ms: row.ttft_ms,
  usage_estimated: row.estimated === 1,
  request_id: row.request_id,
  end_user: row.end_user,
  cache_hit: row.cache_hit === 'exact' || row.cache_hit === 'semantic' ? row.cache_hit : null,
  tags: tagsIn(row),
  units: row.units === null ? {} : (parseJsonText(row.units) as Record<string, number>),
  attempt: row.attempt,
});

export const usageTotalsView = (totals: UsageTotals): Static<typeof usageReport>['totals'] => ({
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
});

type Report = Static<typeof usageReport>;
type Group = Awaited<ReturnType<UsageReports['groups']>>[number];
type Point = Awaited<ReturnType<UsageReports['series']>>[number];

export const usageGroupView = (
  by: readonly UsageGrouping[],
  { group, ...sums }: Group,
): NonNullable<Report['groups']>[number] => ({
  group: Object.fromEntries(by.map((word, place) => [word, group[place] ?? null])),
  ...usageTotalsView(sums),
});

export const usagePointView = ({ start, ...sums }: Point): NonNullable<Report['series']>[number] => ({
  start: rfc3339(start),
  ...usageTotalsView(sums),
});
