import { AppError } from '#contract/errors.ts';
import type { Spender } from '../identity/identity.ts';
import {
  otherAccountsToText,
  groupIn,
  keyAccount,
  accountsOf,
  isLasting,
  isLimitAccount,
  userAccount,
  LASTING,
} from '../../store/account-ids.ts';
import type { ReservationRow, AccountRow, UsageRow } from '../../store/schema.ts';
import type { Estimate, RateState, UsageEntry, HeldAmount, Reservation } from './ledger.ts';
import type { BatchRows } from './batch-queue.ts';
import { refusalAlert, thresholdAlerts, type AlertPolicy } from './budget-alerts.ts';
import {
  appliesTo,
  budgetRefusal,
  reservedRefusal,
  rollWindow,
  narrowest,
  rateRefusal,
  rateStateOf,
  countInMinute,
  correctTokens,
  type LimitedAccount,
  type HeldAccount,
} from './limits.ts';
import { unitsToText } from '../../shared/price.ts';
import { storableText } from '../../store/storable-text.ts';

interface ReservationRequest {
  readonly id: string;
  readonly processId: string;
  readonly spender: Spender;
  /** The spender's accounts. */
  readonly accounts: readonly HeldAccount[];
  readonly estimate: Estimate;
  readonly now: number;
  /** Undefined without alerts. Known alerts are not written again. */
  readonly alerts?: { readonly policy: AlertPolicy; readonly known: ReadonlySet<string> } | undefined;
  /** Whether the spender must be from the current database revision. */
  readonly exact: boolean;
}

export type ReservationResult =
  | { readonly kind: 'granted'; readonly rate: RateState | undefined }
  | {
      readonly kind: 'refused';
      readonly error: AppError;
      readonly alert?: string | undefined;
      /** The account that can have room for the request later. */
      readonly resource?: string | undefined;
    }
  /** The spender is outdated and must be reread. */
  | { readonly kind: 'stale' }
  /** These accounts of further limits must be created first. */
  | { readonly kind: 'missing'; readonly accounts: readonly string[] };

/** Decides whether to admit a request and, if so, reserves its estimated cost. */
export function openReservation(rows: BatchRows, request: ReservationRequest): ReservationResult {
  const { id, spender, estimate, now } = request;
  // An earlier attempt was committed, but its result was lost.
  if (rows.reservation(id)) return { kind: 'granted', rate: undefined };
  if (request.exact && spender.revision !== rows.revision) return { kind: 'stale' };
  const held = accountsFor(request);
  const missing = held === request.accounts ? [] : missingIn(rows, held);
  if (missing.length > 0) return { kind: 'missing', accounts: missing };
  const accounts = limitedAccounts(rows, held, now);
  if (accounts instanceof AppError) return { kind: 'refused', error: accounts };
  const limited = first(accounts, (account) => laterIf(rateRefusal(account, estimate.tokens, now), account));
  if (limited) return limited;
  const overBudget = first(accounts, (account) => refuseOverBudget(rows, account, request));
  if (overBudget) return overBudget;
  const reserved = first(accounts, (account) => laterIf(reservedRefusal(account, estimate), account));
  if (reserved) return reserved;

  const charged = accounts.map((limited) => ({ ...limited, account: charge(limited, estimate, now) }));
  for (const { account } of charged) rows.put(account);
  rows.open(rowOf(request, held));
  return { kind: 'granted', rate: narrowest(charged.map((limited) => rateStateOf(limited, now))) };
}

/** The refusal of a request that the account can have room for later. */
const laterIf = (error: AppError | undefined, { account }: LimitedAccount): ReservationResult | undefined =>
  error && { kind: 'refused', error, resource: account.id };

/** The accounts that a request is reserved against; the same list for a request without further limits. */
function accountsFor({ accounts, estimate }: ReservationRequest): readonly HeldAccount[] {
  if (!accounts.some(({ isFurther }) => isFurther)) return accounts;
  return accounts.filter((account) => appliesTo(account, estimate.models));
}

const missingIn = (rows: BatchRows, accounts: readonly HeldAccount[]): string[] =>
  accounts.filter(({ id, isFurther }) => isFurther && !rows.account(id)).map(({ id }) => id);

/** A spender's accounts with current budget windows. */
function limitedAccounts(
  rows: BatchRows,
  held: readonly HeldAccount[],
  now: number,
): LimitedAccount[] | AppError {
  const accounts: LimitedAccount[] = [];
  for (const { id, limits, label, isFurther } of held) {
    const found = rows.account(id);
    if (!found) return new AppError('NotFoundError', `${label()} not found`, { reason: 'user_not_found' });
    const { account, reset } = rollWindow(found, limits, now);
    rows.put(account);
    // The list of resets is about budgets.
    if (reset && !isFurther) rows.log(reset);
    accounts.push({ account, limits, label, isFurther });
  }
  return accounts;
}

function refuseOverBudget(
  rows: BatchRows,
  limited: LimitedAccount,
  { estimate, alerts, now }: ReservationRequest,
): ReservationResult | undefined {
  const error = budgetRefusal(limited, estimate, now);
  if (!error) return undefined;
  const isBudget = estimate.unpriced === undefined;
  const alert = isBudget && alerts ? refusalAlert(limited.account, limited, alerts.policy, now) : undefined;
  if (!alert || alerts?.known.has(alert.id)) return { kind: 'refused', error };
  rows.raise(alert);
  return { kind: 'refused', error, alert: alert.id };
}

function charge(
  { account, limits }: LimitedAccount,
  { cost, tokens }: Estimate,
  now: number,
): LimitedAccount['account'] {
  const held = {
    ...account,
    reserved_nano: account.reserved_nano + cost,
    running: account.running + 1,
  };
  return countInMinute(held, limits, tokens, now);
}

const rowOf = (
  { id, processId, spender, estimate, now }: ReservationRequest,
  held: readonly HeldAccount[],
): ReservationRow => ({
  id,
  process_id: processId,
  user_id: spender.user.userId,
  key_id: spender.key?.id ?? null,
  amount_nano: estimate.cost,
  tokens: estimate.tokens,
  created_at: now,
  other_accounts: otherAccountsToText(othersIn(held, spender)),
  interrupted: null,
});

/** The accounts other than the user's and the key's. */
const othersIn = (held: readonly HeldAccount[], { user, key }: Spender): string[] =>
  held
    .map(({ id }) => id)
    .filter((id) => id !== userAccount(user.userId) && (!key || id !== keyAccount(key.id)));

function first<Item, Result>(
  items: readonly Item[],
  find: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A reservation to close, with the usage to write. */
export interface Closing {
  readonly id: string;
  readonly userId: string;
  readonly keyId: string | null;
  /** All accounts to charge. For a dead process's request, they have no limits. */
  readonly accounts: readonly (Pick<HeldAccount, 'id'> & {
    readonly [Name in 'limits' | 'label' | 'isFurther' | 'models']?: HeldAccount[Name] | undefined;
  })[];
  readonly tags?: readonly string[] | undefined;
  readonly entries: readonly UsageEntry[];
  readonly now: number;
  /** Whether the usage never had a reservation. */
  readonly isUnreserved?: boolean | undefined;
}

/**
 * Releases the reserved amount, charges the actual cost and writes the usage. Repeated calls have no further
 * effect.
 */
export function closeReservation(rows: BatchRows, closing: Closing, policy?: AlertPolicy): void {
  const { id, userId, keyId, accounts, tags = [], entries, now, isUnreserved = false } = closing;
  if (rows.isBilled(id)) return;
  // The reservation is missing if another process considered this one dead. The usage is still charged.
  const held = rows.reservation(id);
  if (!held && entries.length === 0) return;
  const total = costOf(entries);
  const tokens = entries.reduce((sum, entry) => sum + (entry.cacheHit ? 0 : (totalTokens(entry) ?? 0)), 0);

  const settled = (account: AccountRow, cost: bigint): AccountRow => {
    const spent = account.spent_nano + cost;
    if (!held) return correctTokens({ ...account, spent_nano: spent }, now, isUnreserved ? tokens : 0);
    const released = {
      ...account,
      spent_nano: spent,
      reserved_nano: account.reserved_nano - held.amount_nano,
      running: account.running - (isLasting(held) ? 0 : 1),
    };
    // Work that takes a day does not count towards the limit of a minute.
    if (isLasting(held)) return released;
    return correctTokens(released, held.created_at, tokens - held.tokens);
  };
  // A key or tag that was deleted since the reservation has no account.
  for (const { id: accountId, limits, label, isFurther, models } of accounts) {
    const account = rows.account(accountId);
    if (!account) continue;
    // A limit for models that the request could not call has nothing reserved.
    if (held && isLimitAccount(accountId) && !accountsOf(held).includes(accountId)) continue;
    // Work that takes a day is charged to the budget window in which it ends.
    const rolled = held && isLasting(held) && limits ? rollWindow(account, limits, now) : undefined;
    if (rolled?.reset && !isFurther) rows.log(rolled.reset);
    const before = rolled?.account ?? account;
    const charged = settled(before, models ? costOf(entries, models) : total);
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

/** The cost of the entries for these models; by default, of all. */
const costOf = (entries: readonly UsageEntry[], models?: readonly string[]): bigint =>
  entries.reduce((sum, { model, cost }) => (appliesTo({ models }, [model]) ? sum + (cost ?? 0n) : sum), 0n);

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
    provider_key: entry.providerKey ?? null,
    cache_saved_nano: entry.cacheSaved ?? null,
    units: unitsToText(entry.units),
  };
}

const totalTokens = ({ promptTokens, completionTokens }: UsageEntry): number | null =>
  promptTokens === null && completionTokens === null ? null : (promptTokens ?? 0) + (completionTokens ?? 0);

const wholeOrNull = (milliseconds: number | null | undefined): number | null =>
  milliseconds === null || milliseconds === undefined ? null : Math.round(milliseconds);

/**
 * Makes a reservation outlive its process, under another ID: it holds its amount until it is closed, and no
 * longer counts as a running request, because the work that it pays for can take a day. Repeated calls have
 * no further effect.
 */
export function keepReservation(rows: BatchRows, { id }: Pick<Reservation, 'id'>, held: HeldAmount): void {
  const row = rows.reservation(id);
  if (!row || rows.reservation(held.id)) return;
  for (const account of accountsOf(row).map((accountId) => rows.account(accountId))) {
    const idle = account && { ...account, running: account.running - 1 };
    if (idle) rows.put(correctTokens(idle, row.created_at, -row.tokens));
  }
  rows.close(id);
  rows.open({ ...row, id: held.id, process_id: LASTING, tokens: 0, interrupted: null });
}
