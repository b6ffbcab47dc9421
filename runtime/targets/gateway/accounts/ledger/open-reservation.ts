import { AppError } from '#contract/errors.ts';
import type { Spender } from '../identity/identity.ts';
import { otherAccountsToText } from '../../store/account-ids.ts';
import type { ReservationRow } from '../../store/schema.ts';
import type { Estimate, RateState } from './ledger.ts';
import type { BatchRows } from './batch-rows.ts';
import { type AlertPolicy, refusalAlert } from './budget-alerts.ts';
import { budgetRefusal, reservedRefusal } from './budget-refusals.ts';
import { rollWindow } from './budget-window.ts';
import { heldAccounts } from './held-accounts.ts';
import { type LimitedAccount, narrowest, rateRefusal, rateStateOf } from './refusals.ts';
import { countRequest } from './minute-usage.ts';

export interface ReservationRequest {
  readonly id: string;
  readonly processId: string;
  readonly spender: Spender;
  readonly estimate: Estimate;
  readonly now: number;
  /** Undefined without alerts. Alerts that are known are not written again. */
  readonly alerts?: { readonly policy: AlertPolicy; readonly known: ReadonlySet<string> } | undefined;
  /** Whether the spender must be from the current revision of the database. */
  readonly exact: boolean;
}

export type ReservationResult =
  | { readonly kind: 'granted'; readonly rate: RateState | undefined }
  | { readonly kind: 'refused'; readonly error: AppError; readonly alert?: string | undefined }
  /** The spender is outdated and must be read again. */
  | { readonly kind: 'stale' };

/** Decides whether a request is admitted, and reserves its estimate if so. */
export function openReservation(rows: BatchRows, request: ReservationRequest): ReservationResult {
  const { id, spender, estimate, now } = request;
  // An earlier attempt was committed, but its result was lost.
  if (rows.reservation(id)) return { kind: 'granted', rate: undefined };
  if (request.exact && spender.revision !== rows.revision) return { kind: 'stale' };
  const accounts = limitedAccounts(rows, spender, now);
  if (accounts instanceof AppError) return { kind: 'refused', error: accounts };
  const limited = first(accounts, (account) => rateRefusal(account, estimate.tokens, now));
  if (limited) return { kind: 'refused', error: limited };
  const overBudget = first(accounts, (account) => refuseOverBudget(rows, account, request));
  if (overBudget) return overBudget;
  const reserved = first(accounts, (account) => reservedRefusal(account, estimate));
  if (reserved) return { kind: 'refused', error: reserved };

  const charged = accounts.map((limited) => ({ ...limited, account: charge(limited, estimate, now) }));
  for (const { account } of charged) rows.put(account);
  rows.open(rowOf(request));
  return { kind: 'granted', rate: narrowest(charged.map((limited) => rateStateOf(limited, now))) };
}

/** The accounts of a spender with current budget windows. */
function limitedAccounts(rows: BatchRows, spender: Spender, now: number): LimitedAccount[] | AppError {
  const accounts: LimitedAccount[] = [];
  for (const { id, limits, label } of heldAccounts(spender)) {
    const found = rows.account(id);
    if (!found) return new AppError('NotFoundError', `${label()} not found`, { reason: 'user_not_found' });
    const { account, reset } = rollWindow(found, limits, now);
    rows.put(account);
    if (reset) rows.log(reset);
    accounts.push({ account, limits, label });
  }
  return accounts;
}

function refuseOverBudget(
  rows: BatchRows,
  limited: LimitedAccount,
  { estimate, alerts, now }: ReservationRequest,
): ReservationResult | undefined {
  const error = budgetRefusal(limited, estimate);
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
  return countRequest(held, limits, tokens, now);
}

const rowOf = ({ id, processId, spender, estimate, now }: ReservationRequest): ReservationRow => ({
  id,
  process_id: processId,
  user_id: spender.user.userId,
  key_id: spender.key?.id ?? null,
  amount_nano: estimate.cost,
  tokens: estimate.tokens,
  created_at: now,
  other_accounts: otherAccountsToText(spender.shared.map(({ account }) => account)),
  interrupted: null,
});

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
