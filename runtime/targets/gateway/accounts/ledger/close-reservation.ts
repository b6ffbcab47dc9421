import { groupIn, keyAccount } from '../../store/account-ids.ts';
import type { AccountRow, UsageRow } from '../../store/schema.ts';
import { unitsToText } from '../../shared/unit-price.ts';
import { isLasting } from '../../store/lasting.ts';
import { storableText } from '../../store/storable-text.ts';
import type { UsageEntry } from './ledger.ts';
import type { BatchRows } from './batch-rows.ts';
import { type AlertPolicy, thresholdAlerts } from './budget-alerts.ts';
import { rollWindow } from './budget-window.ts';
import type { HeldAccount } from './held-accounts.ts';
import { correctTokens } from './minute-usage.ts';

/** A reservation to close, with the usage to write. */
export interface Closing {
  readonly id: string;
  readonly userId: string;
  readonly keyId: string | null;
  /** All accounts to charge. Those of a request of a dead process have no limits. */
  readonly accounts: readonly (Pick<HeldAccount, 'id'> & {
    readonly [Name in 'limits' | 'label']?: HeldAccount[Name] | undefined;
  })[];
  readonly tags?: readonly string[] | undefined;
  readonly entries: readonly UsageEntry[];
  readonly now: number;
  /** Whether the usage never had a reservation. */
  readonly isUnreserved?: boolean | undefined;
}

/** Releases the reserved amount, charges the actual cost and writes the usage. Repeated calls have no further effect. */
export function closeReservation(rows: BatchRows, closing: Closing, policy?: AlertPolicy): void {
  const { id, userId, keyId, accounts, tags = [], entries, now, isUnreserved = false } = closing;
  if (rows.isBilled(id)) return;
  // The reservation is missing if another process considered this one dead. The usage is still charged.
  const held = rows.reservation(id);
  if (!held && entries.length === 0) return;
  const cost = entries.reduce((sum, entry) => sum + (entry.cost ?? 0n), 0n);
  const tokens = entries.reduce((sum, entry) => sum + (entry.cacheHit ? 0 : (totalTokens(entry) ?? 0)), 0);

  const settled = (account: AccountRow): AccountRow => {
    const spent = account.spent_nano + cost;
    if (!held) return correctTokens({ ...account, spent_nano: spent }, now, isUnreserved ? tokens : 0);
    const released = {
      ...account,
      spent_nano: spent,
      reserved_nano: account.reserved_nano - held.amount_nano,
      running: account.running - (isLasting(held) ? 0 : 1),
    };
    // The tokens of work that takes a day are not those of a minute.
    if (isLasting(held)) return released;
    return correctTokens(released, held.created_at, tokens - held.tokens);
  };
  // A key or tag that was deleted since the reservation has no account.
  for (const { id: accountId, limits, label } of accounts) {
    const account = rows.account(accountId);
    if (!account) continue;
    // Work that takes a day is charged to the budget window in which it ends.
    const rolled = held && isLasting(held) && limits ? rollWindow(account, limits, now) : undefined;
    if (rolled?.reset) rows.log(rolled.reset);
    const before = rolled?.account ?? account;
    const charged = settled(before);
    rows.put(charged);
    if (!policy || !limits || !label) continue;
    for (const alert of thresholdAlerts(before, charged, { limits, label }, policy, now)) rows.raise(alert);
  }
  if (held) rows.close(id);
  const isKeyKnown = keyId !== null && rows.account(keyAccount(keyId)) !== undefined;
  const ids = accounts.map((account) => account.id);
  const payer = {
    user_id: userId,
    api_key_id: isKeyKnown ? keyId : null,
    team_id: groupIn(ids, 'team'),
    organization_id: groupIn(ids, 'org'),
    timestamp: now,
    tags: tags.length === 0 ? null : JSON.stringify(tags),
  };
  entries.forEach((entry, index) => {
    const isLast = index === entries.length - 1;
    rows.bill(
      usageRow(entry, {
        ...payer,
        id: isLast ? id : `${id}.${index + 1}`,
        attempt: entry.attempt ?? index + 1,
      }),
    );
  });
}

function usageRow(
  entry: UsageEntry,
  about: Pick<
    UsageRow,
    'id' | 'user_id' | 'api_key_id' | 'team_id' | 'organization_id' | 'timestamp' | 'tags' | 'attempt'
  >,
): UsageRow {
  return {
    ...about,
    model: storableText(entry.model),
    provider: entry.provider,
    endpoint: entry.endpoint,
    prompt_tokens: entry.promptTokens,
    completion_tokens: entry.completionTokens,
    cached_tokens: entry.cachedTokens ?? null,
    total_tokens: totalTokens(entry),
    cost_nano: entry.cost,
    status: entry.status,
    error_message: entry.errorMessage ? storableText(entry.errorMessage) : null,
    error_detail: entry.errorDetail ? storableText(entry.errorDetail) : null,
    status_code: entry.statusCode ?? null,
    latency_ms: wholeOrNull(entry.latencyMs),
    ttft_ms: wholeOrNull(entry.ttftMs),
    estimated: entry.estimated ? 1 : 0,
    request_id: entry.requestId ? storableText(entry.requestId) : null,
    cache_write_tokens: entry.cacheWriteTokens ?? null,
    cache_write_1h_tokens: entry.cacheWrite1hTokens ?? null,
    priced_by: entry.pricedBy ? storableText(entry.pricedBy) : null,
    end_user: entry.endUser ? storableText(entry.endUser) : null,
    cache_hit: entry.cacheHit ?? null,
    units: unitsToText(entry.units),
  };
}

const totalTokens = ({ promptTokens, completionTokens }: UsageEntry): number | null =>
  promptTokens === null && completionTokens === null ? null : (promptTokens ?? 0) + (completionTokens ?? 0);

const wholeOrNull = (milliseconds: number | null | undefined): number | null =>
  milliseconds === null || milliseconds === undefined ? null : Math.round(milliseconds);
