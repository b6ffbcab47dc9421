import { AppError } from '../../../../contract/errors.ts';
import { keyAccount, userAccount } from '../../store/account-ids.ts';
import type { Spender } from '../identity/identity.ts';
import type { ReservationRow } from '../../store/schema.ts';
import type { Estimate, RateState } from './ledger.ts';
import type { Book } from './book.ts';
import { budgetRefusal, reservedRefusal } from './budget-refusals.ts';
import { rollWindow } from './budget-window.ts';
import { type Party, rateRefusal, rateStateOf } from './refusals.ts';
import { countRequest } from './use-minute.ts';

export interface Wish {
  readonly id: string;
  readonly processId: string;
  readonly spender: Spender;
  readonly estimate: Estimate;
  readonly now: number;
  /** Whether users, keys and budgets must be of the revision that the database has. */
  readonly exact: boolean;
}

export type Answer =
  | { readonly kind: 'granted'; readonly rate: RateState | undefined }
  | { readonly kind: 'refused'; readonly error: AppError }
  /** What is known of the spender is old: to be read again. */
  | { readonly kind: 'stale' };

/** Whether a request may begin; if so, its estimate is held from then on. */
export function openReservation(book: Book, wish: Wish): Answer {
  const { id, spender, estimate, now } = wish;
  // Granted in a commit of which the answer was lost.
  if (book.reservation(id)) return { kind: 'granted', rate: undefined };
  if (wish.exact && spender.revision !== book.revision) return { kind: 'stale' };
  const parties = partiesOf(book, spender, now);
  if (parties instanceof AppError) return { kind: 'refused', error: parties };
  const error =
    first(parties, (party) => rateRefusal(party, estimate.tokens, now)) ??
    first(parties, (party) => budgetRefusal(party, estimate)) ??
    first(parties, (party) => reservedRefusal(party, estimate));
  if (error) return { kind: 'refused', error };

  const counted = parties.map((party) => ({ ...party, account: charge(party, estimate, now) }));
  for (const { account } of counted) book.put(account);
  book.open(rowOf(wish));
  return { kind: 'granted', rate: narrowest(counted.map((party) => rateStateOf(party, now))) };
}

/** The key, if there is one, and the user, with windows of their budgets that are not over. */
function partiesOf(book: Book, { user, key }: Spender, now: number): Party[] | AppError {
  const ofKey = key && {
    id: keyAccount(key.id),
    limits: key.limits,
    shown: () => `API key '${key.name ?? key.prefix}'`,
  };
  const ofUser = {
    id: userAccount(user.userId),
    limits: user.limits,
    shown: () => `User '${user.userId}'`,
  };
  const parties: Party[] = [];
  for (const { id, limits, shown } of ofKey ? [ofKey, ofUser] : [ofUser]) {
    const found = book.account(id);
    if (!found) return new AppError('NotFoundError', `${shown()} not found`, { reason: 'user_not_found' });
    const { account, reset } = rollWindow(found, limits, now);
    book.put(account);
    if (reset) book.log(reset);
    parties.push({ account, limits, shown });
  }
  return parties;
}

function charge({ account, limits }: Party, { cost, tokens }: Estimate, now: number): Party['account'] {
  const held = {
    ...account,
    reserved_nano: account.reserved_nano + cost,
    running: account.running + 1,
  };
  return countRequest(held, limits, tokens, now);
}

const rowOf = ({ id, processId, spender, estimate, now }: Wish): ReservationRow => ({
  id,
  process_id: processId,
  user_id: spender.user.userId,
  key_id: spender.key?.id ?? null,
  amount_nano: estimate.cost,
  tokens: estimate.tokens,
  created_at: now,
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
