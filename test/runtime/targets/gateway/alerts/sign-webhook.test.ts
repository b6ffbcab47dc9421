import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isWebhookSecret, webhookHeaders } from '#gateway/alerts/sign-webhook.ts';

interface Golden {
  readonly secret: string;
  readonly id: string;
  readonly seconds: number;
  readonly body: string;
  readonly signature: string;
}

test('signatures match those of the reference implementation', () => {
  const cases = JSON.parse(readFileSync('fixtures/golden/webhooks.json', 'utf8')) as Golden[];
  expect(cases.length).toBe(9);
  for (const { secret, id, seconds, body, signature } of cases) {
    expect(webhookHeaders(secret, id, seconds, body)).toEqual({
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signature,
    });
  }
});

test('a secret has a prefix and 24 to 64 Base64-encoded bytes', () => {
  const secret = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
  expect([23, 24, 64, 65].map((bytes) => isWebhookSecret(secret(bytes)))).toEqual([false, true, true, false]);
  expect(isWebhookSecret(secret(25).replace(/=+$/, ''))).toBe(true);
  for (const text of ['', 'whsec_', secret(24).slice(6), `${secret(24)}!`, `${secret(24)} `, 'whsec_äöü'])
    expect(isWebhookSecret(text)).toBe(false);
});
