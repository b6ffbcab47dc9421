import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import { PRESETS } from '#gateway/providers/adapters/presets.ts';

const options = { clock: systemClock, random: Math.random, onLine: () => undefined };

test.each(Object.entries(PRESETS))(
  '%s can be opened without further settings',
  async (name, { local = false, ...preset }) => {
    const provider = openProvider({ name, local, ...preset }, options);
    expect(provider).toMatchObject({ name, type: preset.type });
    await provider.close();
  },
);

test('only local providers can have private addresses, and all others use TLS', () => {
  for (const { baseUrl, local = false } of Object.values(PRESETS)) {
    expect(new URL(baseUrl).protocol === 'https:').toBe(!local);
    expect(/^http:\/\/127\.0\.0\.1:\d+\/v1$/.test(baseUrl)).toBe(local);
  }
});
