import { MessageChannel } from 'node:worker_threads';
import { expect } from 'vitest';
import {
  createThreadLedger,
  type LedgerFunctions,
  offerLedger,
} from '#gateway/accounts/ledger/thread-ledger.ts';
import { openThreadLink } from '#serve/threads/thread-link.ts';
import { describeDatabases } from '../../databases.ts';
import { test } from 'vitest';

const ESTIMATE = { cost: 1000n, tokens: 10, free: false };

describeDatabases((database) => {
  test('several threads share limits, and spenders beyond the number that is remembered are sent again', async () => {
    const { ledger, identity, clock } = await database.start();
    await identity.users.create({ userId: 'ada', rpm: 3000 });
    const links = [1, 2].map(() => {
      const { port1, port2 } = new MessageChannel();
      const main = openThreadLink<never>(port1, { ...offerLedger(ledger) });
      const link = openThreadLink<LedgerFunctions>(port2);
      const remote = createThreadLedger({
        link,
        clock,
        onRevision: () => undefined,
        onError: (error) => {
          throw error;
        },
      });
      return { remote, close: [main.close, link.close] };
    });
    const spender = await identity.spender({ kind: 'master' }, 'ada');
    let refused = 0;
    const statuses = await Promise.allSettled(
      Array.from({ length: 6000 }, async (_, at) => {
        // Each is another object, as for requests with tags.
        const reservation = await links[at % 2]?.remote.reserve({ ...spender }, ESTIMATE);
        if (reservation) await links[at % 2]?.remote.release(reservation);
      }),
    );
    for (const result of statuses) if (result.status === 'rejected') refused += 1;
    expect(refused).toBe(3000);
    const quota = await links[1]?.remote.quota(spender);
    expect(quota?.user).toMatchObject({ reserved: 0n, requests: { used: 3000, remaining: 0 } });
    for (const close of links.flatMap((one) => one.close)) close();
  });
});
