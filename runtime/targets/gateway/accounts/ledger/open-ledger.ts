import { randomUUIDv7 } from 'node:crypto';
import { inputError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { accountIdsOf, type ChargedAccounts, chargedAccountsOf } from '../../store/account-ids.ts';
import type { Identity, Spender } from '../identity/identity.ts';
import type { Store } from '../../store/store.ts';
import { isBadData } from '../../store/database-error.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { Estimate, Ledger, Reservation, UsageEntry } from './ledger.ts';
import { createBatchQueue } from './batch-queue.ts';
import { type Closing, closeReservation } from './close-reservation.ts';
import { openReservation } from './open-reservation.ts';
import { createProcessLease, HEARTBEAT_INTERVAL_MS } from './process-lease.ts';
import { quotaOf } from './quota.ts';
import { repeat } from './repeat.ts';
import { memberOf } from '../../../../core/values/member-of.ts';

export interface LedgerOptions {
  readonly clock: Clock;
  readonly revision: FollowedRevision;
  /** Reads a key and its user again if they have changed since the request was authenticated. */
  readonly identity: Pick<Identity, 'renew'>;
  /** Called with errors of background work. */
  readonly onError: (error: unknown) => void;
}

/** Maximum number of times that a spender is read again because it changed. After that, the last version is used. */
const MAX_RENEWALS = 3;

/** Opens the ledger. First it releases the reservations of dead processes. */
export async function openLedger(store: Store, options: LedgerOptions): Promise<Ledger> {
  const { clock, revision, identity, onError } = options;
  const queue = createBatchQueue(store.ledger, revision.noticed);
  const lease = createProcessLease(store);
  /** Entries that could not be written when they were due. */
  const unwritten = new Map<string, Closing>();
  const now = (): number => Math.floor(clock.now());

  const close = async (closing: Closing): Promise<void> => {
    await queue.run({
      accounts: accountIdsOf(closing),
      reservation: closing.id,
      apply: (rows) => closeReservation(rows, closing),
    });
    unwritten.delete(closing.id);
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
    await closeOrKeep({ ...idsOf(spender), id, entries, now: now() });
  };

  /** Writes all outstanding entries. One that fails does not prevent the others from being written. */
  const writeOutstanding = async (): Promise<void> => {
    const results = await Promise.allSettled([...unwritten.values()].map(close));
    const failed = results.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  };
  let writing: Promise<void> | undefined;
  /** Writes outstanding entries before a new request is admitted. If that fails, the usage of the new request would be lost too. */
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
        await close({ id: row.id, ...chargedAccountsOf(row), entries: [], now: now() });
      }),
    );
    await lease.forget();
    await writeOutstanding();
  };
  await cleanUp();
  store.ledger.join(lease.id);
  const cleaning = repeat(clock, HEARTBEAT_INTERVAL_MS, cleanUp, onError);

  return {
    reserve: async (first, estimate) => {
      checkEstimate(estimate);
      if (unwritten.size > 0) await requireWritten();
      const id = randomUUIDv7();
      for (let spender = first, renewals = 0; ; renewals += 1) {
        const createdAt = now();
        const request = { id, processId: lease.id, spender, estimate, now: createdAt };
        const exact = renewals < MAX_RENEWALS;
        const result = await queue
          .run({
            accounts: accountIdsOf(idsOf(spender)),
            reservation: id,
            isNew: true,
            apply: (rows) => openReservation(rows, { ...request, exact }),
          })
          .catch((error: unknown) => {
            // The reservation may exist although the call failed, so it is closed later.
            const closing = { id, ...idsOf(spender), entries: [], now: createdAt };
            unwritten.set(id, closing);
            throw error;
          });
        if (result.kind === 'refused') throw result.error;
        if (result.kind === 'granted') {
          const { cost: amount, tokens } = estimate;
          return { id, spender, amount, tokens, createdAt, rate: result.rate };
        }
        spender = await identity.renew(spender);
      }
    },
    heartbeat: async () => {
      await lease.renew();
      await requireWritten();
    },
    settle: finish,
    release: finish,
    bill: async (spender, ...entries) => {
      await closeOrKeep({ ...idsOf(spender), id: randomUUIDv7(), entries, now: now(), isUnreserved: true });
    },
    quota: async (spender) => await quotaOf(store, spender, now()),
    close: async () => {
      await cleaning.stop();
      await queue.idle();
      try {
        await cleanUp();
        await store.ledger.sync();
        await lease.end();
      } catch (error) {
        // Other processes release what is left after this process has ended.
        onError(error);
      }
    },
  };
}

const idsOf = ({ user, key, shared }: Spender): ChargedAccounts => ({
  userId: user.userId,
  keyId: key?.id ?? null,
  otherAccounts: shared.map(({ account }) => account),
});

function checkEstimate({ cost, tokens }: Estimate): void {
  if (cost >= 0n && Number.isSafeInteger(tokens) && tokens >= 0) return;
  throw inputError(
    `Invalid estimate of ${cost} nano-dollars and ${tokens} tokens: both must be integers of at least 0.`,
  );
}
