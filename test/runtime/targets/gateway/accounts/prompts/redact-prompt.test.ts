import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { redactText, secretsIn } from '#gateway/accounts/prompts/redact-prompt.ts';
import { createRedactor } from '#serve/redact.ts';
import { manualClock } from '../../manual-clock.ts';
import { createSealedValues } from '#gateway/accounts/sealed-values.ts';
import { newKeySecret, WORKER_PREFIX } from '#gateway/accounts/identity/credentials.ts';
import { generateKeyPair, SignJWT } from 'jose';

const redaction = () => ({
  redactor: createRedactor(),
  patterns: [],
  deadline: performance.now() + 60_000,
});

/** Every text that the gateway accepts as a credential. */
const { privateKey } = await generateKeyPair('ES256');
const sealed = createSealedValues<string>(
  randomBytes(32),
  { purpose: 'short-lived key', maxAgeMs: 1000 },
  manualClock(),
);
const CREDENTIALS: readonly (readonly [string, string])[] = [
  ['an API key', newKeySecret().text],
  ['a short-lived key', `gwt-${sealed.close('workload:ci:1')}`],
  [
    'a worker token',
    `${WORKER_PREFIX}${randomUUID()}.1.${randomUUID()}.${randomBytes(32).toString('base64url')}`,
  ],
  [
    'a token of a workload',
    await new SignJWT({ sub: 'ci' }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey),
  ],
];

test.each(CREDENTIALS)('%s is removed from stored texts', async (_name, secret) => {
  const text = `Use "${secret}", then go on.`;
  expect(await redactText(text, redaction())).toMatch(/^Use "\[?[^"]{1,20}", then go on\.$/);
  expect(await redactText(text, redaction())).not.toContain(secret.slice(10, 30));
  expect(await secretsIn(text, redaction())).toEqual([{ start: 5, end: 5 + secret.length }]);
});

test('texts that only begin like a credential remain', async () => {
  const text = 'gwt-short gw-x eyJhbGciOiJ9.x eyJ-eyJ-eyJ- a.eyJhbGciOiJ9.eyJhbGciOiJ9';
  expect(await redactText(text, redaction())).toBe(text);
});
