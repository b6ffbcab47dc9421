import type { Keys } from '../accounts/identity/identity.ts';

/** Makes a first key if there is none yet; its secret is seen only here. */
export async function bootstrapKey(keys: Keys): Promise<string | undefined> {
  const [any] = await keys.list({ skip: 0, limit: 1 });
  if (any) return undefined;
  const { secret } = await keys.create({ keyName: 'bootstrap', metadata: { bootstrap: true } });
  return secret;
}
