import { afterAll } from 'vitest';
import { type Clock, systemClock } from '#platform/clock.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import type { Provider, ProviderInstance } from '#gateway/providers/adapters/provider.ts';
import { read } from './config/read.ts';

interface CloudOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

/** Resolves an entry of `providers` under its type's name. */
export async function instanceOfEntry(
  type: string,
  entry: object,
  env: Readonly<Record<string, string>> = {},
): Promise<ProviderInstance> {
  const { models } = await read({ providers: { [type]: entry } }, { env });
  const [instance] = models.providers;
  if (!instance || 'path' in instance) throw new Error('not an instance');
  return instance;
}

/** Opens the provider of an entry of `providers`, as the gateway does. Closed after the tests of the file. */
export async function providerOfEntry(
  type: string,
  entry: object,
  { env = {}, clock = systemClock }: CloudOptions = {},
): Promise<Provider> {
  const instance = await instanceOfEntry(type, entry, env);
  const provider = openProvider(instance, { clock, random: () => 0.5, onLine: () => undefined });
  afterAll(() => provider.close());
  return provider;
}
