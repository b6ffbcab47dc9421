import { expect, test } from 'vitest';
import { checkProvider } from '#gateway/commands/doctor/check-provider.ts';
import { openProviders } from '#gateway/commands/doctor/open-providers.ts';
import { startFixture } from '../../fixture-provider.ts';
import { startKeyGate } from '../../key-gate.ts';
import { instanceOf } from '../../requests/completions/running-gateway.ts';

const openai = await startFixture('openai');
const gate = await startKeyGate(openai.url);

test('each key of a provider is checked, and findings name it without containing it', async () => {
  const keys = ['good', 'bad'].map((name) => ({ name, apiKey: `sk-doctor-${name}-0123456789`, weight: 1 }));
  gate.judge = ({ key }) => (key.includes('bad') ? { status: 401 } : undefined);
  const instance = instanceOf('openai', { ...openai, url: gate.url }, { apiKey: undefined, keys });
  const { opened } = openProviders([instance]);
  try {
    const checked = await Promise.all(opened.map(checkProvider));
    expect(checked.map(({ finding }) => finding)).toMatchObject([
      { what: 'provider openai, key good', state: 'ok' },
      { what: 'provider openai, key bad', state: 'problem' },
    ]);
    expect(JSON.stringify(checked)).not.toContain('sk-doctor');
  } finally {
    await Promise.all(opened.map(({ provider }) => provider.close()));
  }
});
