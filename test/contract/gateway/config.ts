import type { FixtureProvider, FixtureWire } from '../../runtime/targets/gateway/fixture-provider.ts';
import { MASTER_KEY } from './arms.ts';

/** The key of every provider, long enough to be found wherever it leaks. */
export const PROVIDER_KEY = 'sk-canary-of-a-provider-8c1f2d';

const PATHS: Readonly<Record<FixtureWire, string>> = { openai: '/v1', anthropic: '', gemini: '' };

/** The configuration's `providers`: one for each fixture, named after its API. */
export const providersFor = (
  fixtures: Readonly<Partial<Record<FixtureWire, Pick<FixtureProvider, 'url'>>>>,
): Record<string, object> =>
  Object.fromEntries(
    Object.entries(fixtures).map(([wire, { url }]) => [
      wire,
      { api_base: `${url}${PATHS[wire as FixtureWire]}`, api_key: PROVIDER_KEY },
    ]),
  );

/** Headers with all permissions. */
export const AS_MASTER = { authorization: `Bearer ${MASTER_KEY}` };

export const asKey = (secret: string): Record<string, string> => ({ 'x-gateway-key': `Bearer ${secret}` });
