import { expect, test } from 'vitest';
import { problems, read } from '../read.ts';

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const url = 'https://hooks.example.com/budgets?sig=1';

test('alerts have thresholds and a webhook whose secret is not shown', async () => {
  const { alerts, secrets } = await read(
    { alerts: { thresholds: [90, 10, 90], webhook: { url, secret: '${HOOK}', timeout: '5s' } } },
    { env: { HOOK: `${secret}\n` } },
  );
  expect(alerts).toEqual({ thresholds: [10, 90], webhook: { url, secret, local: false, timeoutMs: 5000 } });
  expect(secrets.map(({ value }) => value)).toContain(secret);
  expect((await read({ alerts: {} })).alerts).toEqual({ thresholds: [50, 80, 100], webhook: undefined });
  expect((await read({})).alerts).toBe(undefined);
  const near = await read({ alerts: { webhook: { url: 'http://localhost:1/x', secret } } });
  expect(near.alerts?.webhook?.local).toBe(true);
});

test.each([
  [
    { url, secret: 'whsec_c2hvcnQ=' },
    'alerts.webhook.secret: expected whsec_ followed by 24 to 64 random bytes',
  ],
  [{ url: 'ftp://x', secret }, 'alerts.webhook.url: expected a URL that starts with http:// or https://'],
  [{ url: 'https://a:b@x', secret }, 'alerts.webhook.url: expected a URL without credentials'],
  [{ url: 'http://169.254.169.254/', secret }, 'alerts.webhook.url: 169.254.169.254 is not a server address'],
  [
    { url: 'http://10.0.0.1/', secret, local: false },
    'alerts.webhook.local: is false, but `url` has a private',
  ],
  [{ url, secret, timeout: '60s' }, 'alerts.webhook.timeout: expected a time of at most 30s, found 60s'],
  [{ url }, 'alerts.webhook: missing required key `secret`'],
])('the alerts section %j is rejected', async (webhook, message) => {
  const found = await problems({ alerts: { webhook } });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(message);
  expect(found[0]).not.toContain('c2hvcnQ');
});

test('percentages must be whole numbers from 1 to 100', async () => {
  expect(await problems({ alerts: { thresholds: [0, 101, 1.5] } })).toHaveLength(3);
});
