import { AppError } from '../../../../contract/errors.ts';
import { keyAccount, otherAccountsText, userAccount } from '../../store/account-ids.ts';
import type { Spender } from '../identity/identity.ts';
import type { ReservationRow } from '../../store/schema.ts';
import type { Estimate, RateState } from './ledger.ts';
import type { BatchRows } from './batch-rows.ts';
import { budgetRefusal, reservedRefusal } from './budget-refusals.ts';
import { rollWindow } from './budget-window.ts';
import { type LimitedAccount, rateRefusal, rateStateOf } from './refusals.ts';
import { countRequest } from './minute-usage.ts';

export interface ReservationRequest {
  readonly id: string;
  readonly processId: string;
  readonly spender: Spender;
  readonly estimate: Estimate;
  readonly now: number;
  /** Whether the spender must be from the current revision of the database. */
  readonly exact: boolean;
}

export type ReservationResult =
  | { readonly kind: 'granted'; readonly rate: RateState | undefined }
  | { readonly kind: 'refused'; readonly error: AppError }
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
  const error =
    first(accounts, (limited) => rateRefusal(limited, estimate.tokens, now)) ??
    first(accounts, (limited) => budgetRefusal(limited, estimate)) ??
    first(accounts, (limited) => reservedRefusal(limited, estimate));
  if (error) return { kind: 'refused', error };

  const charged = accounts.map((limited) => ({ ...limited, account: charge(limited, estimate, now) }));
  for (const { account } of charged) rows.put(account);
  rows.open(rowOf(request));
  return { kind: 'granted', rate: narrowest(charged.map((limited) => rateStateOf(limited, now))) };
}

/** The accounts of the key, if there is one, of the user, and all others, with current budget windows. */
function limitedAccounts(
  rows: BatchRows,
  { user, key, shared }: Spender,
  now: number,
): LimitedAccount[] | AppError {
  const ofKey = key && {
    id: keyAccount(key.id),
    limits: key.limits,
    label: () => `API key '${key.name ?? key.prefix}'`,
  };
  const ofUser = {
    id: userAccount(user.userId),
    limits: user.limits,
    label: () => `User '${user.userId}'`,
  };
  const ofOthers = shared.map(({ account: id, limits, label }) => ({ id, limits, label: () => label }));
  const accounts: LimitedAccount[] = [];
  for (const { id, limits, label } of ofKey ? [ofKey, ofUser, ...ofOthers] : [ofUser, ...ofOthers]) {
    const found = rows.account(id);
    if (!found) return new AppError('NotFoundError', `${label()} not found`, { reason: 'user_not_found' });
    const { account, reset } = rollWindow(found, limits, now);
    rows.put(account);
    if (reset) rows.log(reset);
    accounts.push({ account, limits, label });
  }
  return accounts;
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
  other_accounts: otherAccountsText(spender.shared.map(({ account }) => account)),
});

function narrowest(states: readonly (RateState | undefined)[]): RateState | undefined {
  return states
    .filter((state) => state !== undefined)
    .sort((one, other) => one.remaining - other.remaining)[0];
}

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
