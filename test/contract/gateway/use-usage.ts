import { type Clock, systemClock } from '#platform/clock.ts';
import { openGatewayState } from '#gateway/gateway-state.ts';
import type { UsageEntry } from '#gateway/accounts/ledger/ledger.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';

/** Reserves and settles requests of a key, as a gateway does when it handles them. */
export async function useKey(
  databaseUrl: string,
  secret: string,
  entries: readonly Partial<UsageEntry>[],
  clock: Clock = systemClock,
): Promise<void> {
  const errors: unknown[] = [];
  const store = await openStore(parseDatabaseUrl(databaseUrl), { autoMigrate: false });
  const { identity, ledger, close } = await openGatewayState(store, {
    clock,
    masterKey: undefined,
    onError: (error) => errors.push(error),
  });
  const caller = await identity.authenticate(new Headers({ authorization: `Bearer ${secret}` }));
  const spender = await identity.spender(caller, undefined);
  for (const entry of entries) {
    const reservation = await ledger.reserve(spender, { cost: 1n, tokens: 1, free: false });
    await ledger.settle(reservation, { ...ENTRY, ...entry });
  }
  await close();
  if (errors.length > 0) throw errors[0];
}

const ENTRY: UsageEntry = {
  model: 'openai:gpt-4o',
  provider: 'openai',
  endpoint: '/v1/chat/completions',
  promptTokens: 100,
  completionTokens: 20,
  cachedTokens: 10,
  cost: 1_500_000_000n,
  status: 'success',
  statusCode: 200,
  latencyMs: 250,
};
