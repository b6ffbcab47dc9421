import type { Provider } from '#gateway/providers/adapters/provider.ts';
import type { AbSettings } from '#gateway/requests/routing/ab-settings.ts';
import { startFixture, type FixtureProvider } from '../fixture-provider.ts';
import { providerOf } from '../test-provider.ts';
import { type GatewayOptions, openGateway, type OpenGateway } from './open-gateway.ts';

interface StoredGateway {
  readonly gateway: OpenGateway;
  readonly fixture: FixtureProvider;
  /** Another provider with the same API. */
  readonly other: FixtureProvider;
  /** Headers of ann, bob, poor (almost no budget) or groq (only the other provider). */
  readonly as: (name: string) => Record<string, string>;
  /** Makes the provider finish its pending work. */
  readonly finish: () => Promise<void>;
  readonly usageOf: (user: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly reservedOf: (user: string) => Promise<bigint>;
}

/** A test in which nearly all users get the other provider's model. */
const AB: AbSettings = {
  baseline: ['openai:gpt-4o-mini'],
  model: 'other:gpt-4o-mini',
  share: 0.99,
  by: 'user',
  metrics: ['success'],
  judge: undefined,
  user: undefined,
  judgeShare: 0,
  maxScore: 1,
  windowMs: 1000,
  margin: 0.05,
  confidence: 0.95,
  maxRows: 1000,
  retentionMs: undefined,
};

/** A gateway in front of two providers that store objects, with the keys of four users. */
export async function openStoredGateway(
  options: Pick<GatewayOptions, 'alerts' | 'databaseUrl'> = {},
): Promise<StoredGateway> {
  const [fixture, other] = [await startFixture('openai'), await startFixture('openai')];
  const dialect = { hasResponses: true };
  const providers: Provider[] = [
    providerOf('openai', fixture, { dialect, listedAs: 'openai' }),
    providerOf('openai', other, { name: 'other', dialect, listedAs: 'groq' }),
  ];
  const targets = [{ model: 'openai:gpt-4o-mini' }];
  const aliases = [
    { name: 'fast', targets },
    { name: 'tested', targets, ab: AB },
  ];
  const gateway = await openGateway({ ...options, providers, aliases });
  const keys: Record<string, string> = {};
  for (const [name, more] of Object.entries({
    ann: {},
    bob: {},
    poor: { budget: { max_budget: 0.000_001 } },
    groq: { allowed_models: ['other:*'] },
  })) {
    const { body } = await gateway.ask('POST', '/v1/keys', { user_id: name, ...more });
    keys[name] = body.key;
  }
  return {
    gateway,
    fixture,
    other,
    as: (name) => ({ 'X-Gateway-Key': `Bearer ${keys[name]}` }),
    finish: async () => void (await fetch(`${fixture.url}/finish`, { method: 'POST' })),
    usageOf: async (user) => (await gateway.ask('GET', `/v1/users/${user}/usage`)).body,
    reservedOf: async (user) => (await gateway.context.state.identity.users.get(user)).reserved,
  };
}
