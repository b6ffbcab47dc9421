import type { Provider } from '#gateway/providers/adapters/provider.ts';
import { type FixtureProvider, type FixtureWire, startFixture } from './fixture-provider.ts';
import { providerOf } from './test-provider.ts';

export const TYPES: readonly FixtureWire[] = ['openai', 'anthropic', 'gemini'];

export interface ThreeProviders {
  readonly fixtures: Readonly<Record<FixtureWire, FixtureProvider>>;
  readonly providers: Readonly<Record<FixtureWire, Provider>>;
}

/** A provider of each type, in front of its fixture. */
export async function startThree(): Promise<ThreeProviders> {
  const [openai, anthropic, gemini] = await Promise.all([
    startFixture('openai'),
    startFixture('anthropic'),
    startFixture('gemini'),
  ]);
  return {
    fixtures: { openai, anthropic, gemini },
    providers: {
      openai: providerOf('openai', openai),
      anthropic: providerOf('anthropic', anthropic),
      gemini: providerOf('gemini', gemini),
    },
  };
}

/** The counts of each fixture; they are equal in the internal format. */
export const USAGE = {
  openai: {
    promptTokens: 21,
    completionTokens: 9,
    cachedTokens: 4,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: 2,
  },
  anthropic: {
    promptTokens: 25,
    completionTokens: 15,
    cachedTokens: 8,
    cacheWriteTokens: 6,
    cacheWrite1hTokens: 2,
    reasoningTokens: 0,
  },
  gemini: {
    promptTokens: 17,
    completionTokens: 12,
    cachedTokens: 5,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: 3,
  },
} as const;
