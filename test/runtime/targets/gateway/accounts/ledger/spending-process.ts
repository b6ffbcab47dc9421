import { writeSync } from 'node:fs';
import { systemClock } from '#platform/clock.ts';
import { openGatewayState } from '#gateway/gateway-state.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { used } from '../../requests.ts';

// Spends a user's budget with several concurrent requests, until it is used up or the process is killed. Prints one
// line per step: `asked` before each reservation, `settled <cost>` once that is durable, and `done` when nothing is
// left.
const [url = '', userId = '', parallel = '8'] = process.argv.slice(2);
// Written immediately, so that no line is lost when the process is killed.
const say = (line: string): void => void writeSync(1, `${line}\n`);

const store = await openStore(parseDatabaseUrl(url), { autoMigrate: true });
const { identity, ledger, close } = await openGatewayState(store, {
  clock: systemClock,
  masterKey: 'unused',
  onError: (error) => console.error(error),
});

let refused: unknown;
async function spend(seed: number): Promise<void> {
  for (let count = seed; refused === undefined; count += 1) {
    const spender = await identity.spender({ kind: 'master' }, userId);
    say('asked');
    try {
      const reservation = await ledger.reserve(spender, { cost: 10n, tokens: 5, free: false });
      if (count % 5 === 0) await ledger.release(reservation);
      else {
        const cost = BigInt(1 + (count % 10));
        await ledger.settle(reservation, used(cost));
        say(`settled ${cost}`);
      }
    } catch (error) {
      refused = error;
    }
  }
}
await Promise.all(Array.from({ length: Number(parallel) }, async (_, index) => await spend(index)));
await close();
say(`done ${(refused as { reason?: string }).reason ?? String(refused)}`);
