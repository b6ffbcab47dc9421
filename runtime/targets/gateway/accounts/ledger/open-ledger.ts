import { randomUUIDv7 } from 'node:crypto';
import { inputError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { accountsOf, isLimitAccount, keyAccount, userAccount } from '../../store/account-ids.ts';
import type { Identity, Spender, Limits } from '../identity/identity.ts';
import type { Store } from '../../store/store.ts';
import { isBadData } from '../../store/database-error.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { Estimate, Ledger, Reservation, UsageEntry, AccountState, Allowance, Quota } from './ledger.ts';
import { createLedgerQueue } from './batch-queue.ts';
import type { AlertPolicy } from './budget-alerts.ts';
import {
  closeReservation,
  keepReservation,
  openReservation,
  type Closing,
  type ReservationResult,
} from './reservation.ts';
import { heldAccounts, type HeldAccount, totalOf, minuteOf, admitted } from './limits.ts';
import { createFlightLog, interruptedOf } from './flight-log.ts';
import { createFreeCalls } from './free-calls.ts';
import { createProcessLease, HEARTBEAT_INTERVAL_MS } from './process-lease.ts';
import { repeat } from './repeat.ts';
import {
  createReservationQueue,
  isLater,
  type Later,
  type ReservationQueue,
  type ReservationQueueParts,
} from './waiting/reservation-queue.ts';
import { waitTermsOf } from './waiting/wait-terms.ts';
import { memberOf } from '#core/values/member-of.ts';
import { createLimitAccounts, spentNow } from '../identity/accounts.ts';
import { unusedAccount } from '../identity/unused-account.ts';
import type { AccountRow } from '../../store/schema.ts';

export interface LedgerOptions {
  readonly clock: Clock;
  readonly revision: FollowedRevision;
  /**
   * Rereads a key and its user if they have changed since the request was authenticated, and the limits of
   * work that is paid for later.
   */
  readonly identity: Pick<Identity, 'renew' | 'accounts'>;
  /** When to raise alerts; undefined if disabled. Read for each request, because the configuration can change. */
  readonly alertPolicy?: (() => AlertPolicy | undefined) | undefined;
  /** Receives errors from background work. */
  readonly onError: (error: unknown) => void;
  /** Receives the number of billed requests of killed processes. */
  readonly onInterrupted?: ((requests: number) => void) | undefined;
  /** The queues of requests that wait; undefined if requests never wait. */
  readonly queues?: Pick<ReservationQueueParts, 'settings' | 'observer'> | undefined;
}

/** Maximum number of times that a spender is reread because it changed. After that, the latest version is used. */
const MAX_RENEWALS = 3;

/** Opens the ledger. First releases the reservations of dead processes, and bills what their requests had used. */
export async function openLedger(store: Store, options: LedgerOptions): Promise<Ledger> {
  const { clock, revision, identity, alertPolicy = () => undefined, onError, onInterrupted } = options;
  const { queues } = options;
  const flights = createFlightLog((notes) => store.ledger.note(notes), clock, onError);
  const queue = createLedgerQueue({
    store: store.ledger,
    onRevision: revision.noticed,
    hasOthers: () => flights.size() > 0,
  });
  const lease = createProcessLease(store);
  /** Entries that could not be written when they were due. */
  const unwritten = new Map<string, Closing>();
  /** Alerts for rejected requests that are already in the database, so that further rejections write nothing. */
  const refusals = new Set<string>();
  const now = (): number => Math.floor(clock.now());
  /** Who pays for a spender, which is the same object for many requests. */
  const payers = new WeakMap<Spender, PayerOfClosing>();
  const payerOf = (spender: Spender): PayerOfClosing => {
    const known = payers.get(spender);
    if (known) return known;
    const accounts = heldAccounts(spender);
    const payer = {
      userId: spender.user.userId,
      keyId: spender.key?.id ?? null,
      accounts,
      ids: idsOf(accounts),
      tags: spender.tags,
    };
    payers.set(spender, payer);
    return payer;
  };

  /** Assigned before requests arrive; the reservations of dead processes are closed before. */
  let waiting: ReservationQueue | undefined;
  const close = async (closing: Closing): Promise<void> => {
    await queue.run({
      accounts: idsOf(closing.accounts),
      reservation: closing.id,
      apply: (rows) => closeReservation(rows, closing, alertPolicy()),
    });
    unwritten.delete(closing.id);
    waiting?.freed(closing.accounts);
  };
  const closeOrKeep = async (closing: Closing): Promise<void> => {
    try {
      await close(closing);
    } catch (error) {
      unwritten.set(closing.id, closing);
      throw error;
    }
  };
  const finish = async ({ id, spender }: Reservation, ...entries: readonly UsageEntry[]): Promise<void> => {
    flights.remove(id);
    await closeOrKeep({ ...payerOf(spender), id, entries, now: now() });
  };

  /** Writes all outstanding entries. A failure does not prevent the other entries from being written. */
  const writeOutstanding = async (): Promise<void> => {
    const results = await Promise.allSettled([...unwritten.values()].map(close));
    const failed = results.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  };
  let writing: Promise<void> | undefined;
  /**
   * Writes outstanding entries before admitting a new request. If that fails, the new request's usage would
   * be lost, too.
   */
  const requireWritten = async (): Promise<void> => {
    writing ??= writeOutstanding().finally(() => (writing = undefined));
    try {
      await writing;
    } catch (error) {
      if (!isBadData(memberOf(error, 'cause'))) throw error;
    }
  };

  const cleanUp = async (): Promise<void> => {
    await lease.renew();
    const left = await lease.leftOver();
    await Promise.all(
      left.map(async (row) => {
        const { id, user_id: userId, key_id: keyId, interrupted } = row;
        const ids = accountsOf(row);
        const limits = new Map(
          (await identity.accounts(ids.filter(isLimitAccount))).map((one) => [one.account, one]),
        );
        const accounts = ids.map((account) => ({ id: account, models: limits.get(account)?.models }));
        const { entry, tags } = interrupted === null ? NOTHING_USED : interruptedOf(interrupted);
        const entries = entry ? [entry] : [];
        await close({ id, userId, keyId, accounts, tags, entries, now: now() });
      }),
    );
    const billed = left.filter(({ interrupted }) => interrupted !== null).length;
    if (billed > 0) onInterrupted?.(billed);
    await lease.forget();
    await writeOutstanding();
  };
  await cleanUp();
  store.ledger.join(lease.id);
  const cleaning = repeat(clock, HEARTBEAT_INTERVAL_MS, cleanUp, onError);

  /** Admits a request, or returns why it is rejected but can be admitted later. */
  const reserve = async (
    first: Spender,
    estimate: Estimate,
    usageSoFar?: () => UsageEntry | undefined,
  ): Promise<Reservation | Later> => {
    checkEstimate(estimate);
    if (unwritten.size > 0) await requireWritten();
    const id = randomUUIDv7();
    for (let spender = first, renewals = 0; ; renewals += 1) {
      const createdAt = now();
      const policy = alertPolicy();
      const alerts = policy && { policy, known: refusals };
      const payer = payerOf(spender);
      const { accounts, ids } = payer;
      const exact = renewals < MAX_RENEWALS;
      const request = {
        id,
        processId: lease.id,
        spender,
        accounts,
        estimate,
        alerts,
        now: createdAt,
        exact,
      };
      let result: ReservationResult;
      try {
        const opened = queue.run({
          accounts: ids,
          reservation: id,
          isNew: true,
          apply: (rows) => openReservation(rows, request),
        });
        result = opened instanceof Promise ? await opened : opened;
      } catch (error) {
        // The reservation may exist although the call failed, so it is closed later.
        unwritten.set(id, { id, ...payer, entries: [], now: createdAt });
        throw error;
      }
      if (result.kind === 'missing') {
        await createLimitAccounts(store.db, result.accounts);
        renewals -= 1;
        continue;
      }
      if (result.kind === 'refused') {
        if (result.alert !== undefined) remember(refusals, result.alert);
        const { error, resource } = result;
        if (resource === undefined) throw error;
        return { resource, error };
      }
      if (result.kind === 'granted') {
        const { cost: amount, tokens } = estimate;
        if (usageSoFar) flights.add(id, usageSoFar, spender.tags);
        return admitted({ id, spender, amount, tokens, createdAt, rate: result.rate });
      }
      spender = await identity.renew(spender);
    }
  };
  waiting =
    queues &&
    createReservationQueue({
      ...queues,
      clock,
      reserve,
      accountsOf: (spender) => payerOf(spender).accounts,
      renew: (spender) => identity.renew(spender),
      release: (reservation) => void finish(reservation).catch(onError),
    });

  return {
    async reserve(spender, estimate, usageSoFar, wait) {
      const terms = wait && waitTermsOf(spender);
      if (terms && waiting) return await waiting.reserve({ terms, ...wait, spender, estimate, usageSoFar });
      const result = await reserve(spender, estimate, usageSoFar);
      if (isLater(result)) throw result.error;
      return result;
    },
    waiting: () => waiting?.waiting() ?? [],
    stopWaiting: (error) => waiting?.stop(error),
    admitFree: createFreeCalls(queue, now),
    heartbeat: async () => {
      await lease.renew();
      await requireWritten();
    },
    keep: async (reservation) => {
      flights.remove(reservation.id);
      const { userId, keyId, ids, tags } = payerOf(reservation.spender);
      const held = { id: randomUUIDv7(), userId, keyId, tags };
      await queue.run({
        accounts: ids,
        reservation: reservation.id,
        apply: (rows) => keepReservation(rows, reservation, held),
      });
      waiting?.freed(payerOf(reservation.spender).accounts);
      return held;
    },
    settleHeld: async (held, ...entries) => {
      const row = await store.db
        .selectFrom('gateway_reservations')
        .select(['user_id', 'key_id', 'other_accounts'])
        .where('id', '=', held.id)
        .executeTakeFirst();
      const payer = row ?? { user_id: held.userId, key_id: held.keyId, other_accounts: null };
      const ids = accountsOf(payer);
      const known = new Map((await identity.accounts(ids)).map((one) => [one.account, one]));
      const accounts = ids.map((id) => {
        const { limits, label = '', isFurther, models } = known.get(id) ?? {};
        return { id, limits, label: () => label, isFurther, models };
      });
      await closeOrKeep({ ...held, accounts, entries, now: now() });
    },
    settle: finish,
    release: finish,
    bill: async (spender, ...entries) => {
      await closeOrKeep({
        ...payerOf(spender),
        id: randomUUIDv7(),
        entries,
        now: now(),
        isUnreserved: true,
      });
    },
    note: async (notes) => await store.ledger.note(notes),
    quota: async (spender) => await quotaOf(store, spender, now()),
    close: async () => {
      flights.stop();
      await cleaning.stop();
      await queue.idle();
      try {
        await cleanUp();
        await store.ledger.sync();
        await lease.end();
      } catch (error) {
        // After this process has ended, other processes release what is left.
        onError(error);
      }
    },
  };
}

const NOTHING_USED = { entry: undefined, tags: undefined };

interface PayerOfClosing extends Pick<Closing, 'userId' | 'keyId' | 'tags'> {
  readonly accounts: readonly HeldAccount[];
  readonly ids: readonly string[];
}

const idsOf = (accounts: Closing['accounts']): string[] => accounts.map(({ id }) => id);

/** A full set is cleared, which costs a few repeated writes. */
function remember(known: Set<string>, id: string): void {
  if (known.size >= MAX_KNOWN_REFUSALS) known.clear();
  known.add(id);
}

const MAX_KNOWN_REFUSALS = 10_000;

function checkEstimate({ cost, tokens }: Estimate): void {
  if (cost >= 0n && Number.isSafeInteger(tokens) && tokens >= 0) return;
  throw inputError(
    `Invalid estimate of ${cost} nano-dollars and ${tokens} tokens: both must be integers of at least 0.`,
  );
}

async function quotaOf({ ledger }: Pick<Store, 'ledger'>, spender: Spender, now: number): Promise<Quota> {
  const { user, key, shared } = spender;
  const limits = heldAccounts(spender).filter(({ isFurther }) => isFurther);
  const ids = [
    userAccount(user.userId),
    ...(key ? [keyAccount(key.id)] : []),
    ...shared.map(({ account }) => account),
    ...limits.map(({ id }) => id),
  ];
  const rows = await ledger.accounts(ids);
  const stateOf = (id: string, own: Limits): AccountState =>
    accountState(rows.find((row) => row.id === id) ?? unusedAccount(id), own, now);
  return {
    user: stateOf(userAccount(user.userId), user.limits),
    key: key && stateOf(keyAccount(key.id), key.limits),
    shared: shared.map((one) => ({ account: one.account, state: stateOf(one.account, one.limits) })),
    limits: limits.map((one) => ({
      name: one.label(),
      models: one.models ?? null,
      state: stateOf(one.id, one.limits),
    })),
  };
}

function accountState(row: AccountRow, limits: Limits, now: number): AccountState {
  const spent = spentNow(row, now);
  const { requests, tokens } = minuteOf(row, now);
  const left = limits.maxBudget === null ? null : limits.maxBudget - spent - row.reserved_nano;
  return {
    spent,
    reserved: row.reserved_nano,
    maxBudget: limits.maxBudget,
    remaining: left !== null && left < 0n ? 0n : left,
    budgetStartedAt: row.window_started_at,
    nextBudgetResetAt: row.window_ends_at,
    requests: allowance(totalOf(requests), limits.rpm),
    tokens: allowance(totalOf(tokens), limits.tpm),
    parallel: allowance(row.running, limits.maxParallel),
  };
}

const allowance = (used: number, limit: number | null): Allowance => ({
  used,
  limit,
  remaining: limit === null ? null : Math.max(0, limit - used),
});
