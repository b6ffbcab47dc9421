import type { UsageEntry } from '#gateway/accounts/ledger/ledger.ts';
import type { NewKey } from '#gateway/accounts/fields/keys.ts';
import type { Identity, Spender } from '#gateway/accounts/identity/identity.ts';

export const bearer = (secret: string): Headers => new Headers({ 'x-gateway-key': `Bearer ${secret}` });

/** The owner of a new key. */
export async function newSpender(identity: Identity, key: NewKey = {}): Promise<Spender> {
  const { secret } = await identity.keys.create(key);
  return await identity.spender(await identity.authenticate(bearer(secret)), undefined);
}

/** A request's usage with this cost. */
export const used = (cost: bigint | null, fields: Partial<UsageEntry> = {}): UsageEntry => ({
  model: 'openai:small',
  provider: 'openai',
  endpoint: '/v1/chat/completions',
  promptTokens: 10,
  completionTokens: 5,
  cost,
  status: 'success',
  ...fields,
});
