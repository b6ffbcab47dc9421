import { parseJsonText } from '#core/json/json-text.ts';
import { addCall, addUse, callsIn, emptyMinute, minuteAt, type SlidingMinute } from './sliding-minute.ts';
import type { Limits } from '../identity/identity.ts';
import type { AccountRow } from '../../store/schema.ts';

/** Usage of an account in the last minute. */
export function minuteOf({ minute }: Pick<AccountRow, 'minute'>, now: number): SlidingMinute {
  return minute === null ? emptyMinute(now) : minuteAt(parseMinute(minute), now);
}

/** Reads what `addUse` returned. Every request does this, so its members are not checked again. */
const parseMinute = (text: string): SlidingMinute => parseJsonText(text) as SlidingMinute;

/** Counts an admitted request, only for accounts with a limit per minute, because counting has a cost. */
export function countRequest(
  account: AccountRow,
  { rpm, tpm }: Limits,
  tokens: number,
  now: number,
): AccountRow {
  if (rpm === null && tpm === null) return account.minute === null ? account : { ...account, minute: null };
  return { ...account, minute: JSON.stringify(addUse(minuteOf(account, now), now, 1, tokens)) };
}

/** Replaces the estimated tokens of a request by the actual ones. */
export function correctTokens(account: AccountRow, at: number, difference: number): AccountRow {
  if (account.minute === null || difference === 0) return account;
  const minute = parseMinute(account.minute);
  return { ...account, minute: JSON.stringify(addUse(minute, at, 0, difference)) };
}

/** Calls that cost nothing in the last minute, newest slot first. */
export function freeCallsOf(
  account: Pick<AccountRow, 'minute'>,
  now: number,
): { readonly calls: readonly number[]; readonly slot: number } {
  const minute = minuteOf(account, now);
  return { calls: callsIn(minute), slot: minute.slot };
}

export const countFreeCall = (account: AccountRow, now: number): AccountRow => ({
  ...account,
  minute: JSON.stringify(addCall(minuteOf(account, now))),
});
