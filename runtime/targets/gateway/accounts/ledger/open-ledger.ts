import { randomUUIDv7 } from 'node:crypto';
import { inputError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { keyAccount, userAccount } from '../../store/account-ids.ts';
import type { Identity, Spender } from '../identity/identity.ts';
import type { Store } from '../../store/store.ts';
import { isBadData } from '../../store/database-error.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { Estimate, Ledger, Reservation, UsageEntry } from './ledger.ts';
import { createBatchQueue } from './batch-queue.ts';
import { type Closing, closeReservation } from './close-reservation.ts';
import { openReservation } from './open-reservation.ts';
import { createProcessLease, SIGN_OF_LIFE_EVERY_MS } from './process-lease.ts';
import { quotaOf } from './quota.ts';
import { repeat } from './repeat.ts';

export interface LedgerOptions {
  readonly clock: Clock;
  readonly revision: FollowedRevision;
  /** To read a key and its user again when they have changed since the request came in. */
  readonly identity: Pick<Identity, 'renew'>;
  /** What is done now and then without anyone asking went wrong. */
  readonly onError: (error: unknown) => void;
}

/** Where changes never stop, what was read last must do. */
const MOST_RENEWALS = 3;

/** Begins by giving back what dead processes held. */
export async function openLedger(store: Store, options: LedgerOptions): Promise<Ledger> {
  const { clock, revision, identity, onError } = options;
  const queue = createBatchQueue(store.ledger, revision.noticed);
  const lease = createProcessLease(store);
  /** What could not be written when it was due. */
  const owed = new Map<string, Closing>();
  const now = (): number => Math.floor(clock.now());

  const close = async (closing: Closing): Promise<void> => {
    await queue.run({
      accounts: accountsOf(closing),
      reservation: closing.id,
      apply: (book) => closeReservation(book, closing),
    });
    owed.delete(closing.id);
  };
  const closeOrOwe = async (closing: Closing): Promise<void> => {
    try {
      await close(closing);
    } catch (error) {
      owed.set(closing.id, closing);
      throw error;
    }
  };
  const finish = async ({ id, spender }: Reservation, ...entries: readonly UsageEntry[]): Promise<void> => {
    await closeOrOwe({ ...idsOf(spender), id, entries, now: now() });
  };

  /** One that cannot be written keeps no other from being written. */
  const payOwed = async (): Promise<void> => {
    const paid = await Promise.allSettled([...owed.values()].map(close));
    const failed = paid.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  };
  let paying: Promise<void> | undefined;
  /** What cannot be written down is not to be begun: everybody would be answered, and nobody would pay. */
  const requirePaid = async (): Promise<void> => {
    paying ??= payOwed().finally(() => (paying = undefined));
    try {
      await paying;
    } catch (error) {
      if (!isBadData((error as Error).cause)) throw error;
    }
  };

  const tidy = async (): Promise<void> => {
    await lease.renew();
    const left = await lease.leftOver();
    await Promise.all(
      left.map(async ({ id, user_id: userId, key_id: keyId }) => {
        await close({ id, userId, keyId, entries: [], now: now() });
      }),
    );
    await lease.forget();
    await payOwed();
  };
  await tidy();
  store.ledger.join(lease.id);
  const tidying = repeat(clock, SIGN_OF_LIFE_EVERY_MS, tidy, onError);

  return {
    reserve: async (first, estimate) => {
      checkEstimate(estimate);
      if (owed.size > 0) await requirePaid();
      const id = randomUUIDv7();
      for (let spender = first, renewals = 0; ; renewals += 1) {
        const createdAt = now();
        const wish = { id, processId: lease.id, spender, estimate, now: createdAt };
        const exact = renewals < MOST_RENEWALS;
        const answer = await queue
          .run({
            accounts: accountsOf(idsOf(spender)),
            reservation: id,
            isNew: true,
            apply: (book) => openReservation(book, { ...wish, exact }),
          })
          .catch((error: unknown) => {
            // It may be there all the same.
            const closing = { id, ...idsOf(spender), entries: [], now: createdAt };
            owed.set(id, closing);
            throw error;
          });
        if (answer.kind === 'refused') throw answer.error;
        if (answer.kind === 'granted') {
          const { cost: amount, tokens } = estimate;
          return { id, spender, amount, tokens, createdAt, rate: answer.rate };
        }
        spender = await identity.renew(spender);
      }
    },
    sign: async () => {
      await lease.renew();
      await requirePaid();
    },
    settle: finish,
    release: finish,
    bill: async (spender, ...entries) => {
      await closeOrOwe({ ...idsOf(spender), id: randomUUIDv7(), entries, now: now(), isUnheld: true });
    },
    quota: async (spender) => await quotaOf(store, spender, now()),
    close: async () => {
      await tidying.stop();
      await queue.idle();
      try {
        await tidy();
        await store.ledger.sync();
        await lease.end();
      } catch (error) {
        // The others find what is left when this process is gone.
        onError(error);
      }
    },
  };
}

type PayerIds = Pick<Closing, 'userId' | 'keyId'>;

const idsOf = ({ user, key }: Spender): PayerIds => ({ userId: user.userId, keyId: key?.id ?? null });

const accountsOf = ({ userId, keyId }: PayerIds): string[] =>
  keyId === null ? [userAccount(userId)] : [keyAccount(keyId), userAccount(userId)];

function checkEstimate({ cost, tokens }: Estimate): void {
  if (cost >= 0n && Number.isSafeInteger(tokens) && tokens >= 0) return;
  throw inputError(
    `An estimate of ${cost} nano-dollars and ${tokens} tokens is none; both are whole and not negative.`,
  );
}
