import { expect, test } from 'vitest';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import { createRedactor } from '#serve/redact.ts';
import { redactMasked, unmasking } from '#gateway/accounts/prompts/redact-masked.ts';

const SECRET = 'the-secret-of-a-provider-0123456789';
const redactor = createRedactor([
  { value: SECRET, isNamed: true },
  { value: 'hunter2', isNamed: true },
]);
const patterns = [compileLinearPattern(String.raw`[\w.]+@[\w.]+`)];
const redact = (text: string, masked: Readonly<Record<string, string>>): Promise<string> =>
  redactMasked(text, unmasking(new Map(Object.entries(masked))), {
    redactor,
    patterns,
    deadline: performance.now() + 5000,
  });

test('a secret that contains masks is redacted as a whole', async () => {
  const masked = { vK7: '[PER_1]', XyZ: '[PER_2]', Ann: '[PER_3]' };
  expect(await redact('key sk-ant-api03-gbL4A[PER_1]qQ[PER_2]M0abcdefghijkl, said [PER_3].', masked)).toBe(
    'key [redacted], said [PER_3].',
  );
  const gateway = `gw-${'a1B2'.repeat(6)}[PER_1]${'c3D4'.repeat(6)}`;
  expect(await redact(`use ${gateway} now`, masked)).toBe('use [redacted] now');
  expect(await redact('the-secret-of-a-[PER_1]-0123456789', { provider: '[PER_1]' })).toBe('[redacted]');
  expect(await redact('password: hun[PER_1]', { ter2: '[PER_1]' })).toBe('password: [redacted]');
  expect(await redact('mail bob@[ORG_1].com', { example: '[ORG_1]' })).toBe('mail [redacted]');
});

test('a mask that overlaps the end of a secret is redacted with it', async () => {
  expect(await redact('[PER_1]bcdefghijklmnopqrstu', { 'Ann sk-a': '[PER_1]' })).toBe('[redacted]');
});

test('a mask that replaces a whole secret is kept, and so is a placeholder that is not from the request', async () => {
  expect(await redact('mail [MAIL_1] and [MAIL_2]', { 'bob@example.com': '[MAIL_1]' })).toBe(
    'mail [MAIL_1] and [MAIL_2]',
  );
  expect(await redact(`plain ${SECRET}`, { Ann: '[PER_1]' })).toBe('plain [redacted]');
  expect(await redact('no secret', {})).toBe('no secret');
});

test('a redactor finds the positions of plain and Base64-encoded secrets', () => {
  const text = `a ${SECRET} and password=hunter2`;
  const found = redactor.spans(text).map(({ start, end }) => text.slice(start, end));
  expect(found).toEqual([SECRET, 'hunter2']);
  expect(createRedactor().spans(text)).toEqual([]);
  const encoded = Buffer.from(SECRET).toString('base64').replaceAll('=', '');
  expect(redactor.spans(`x ${encoded}`)).toHaveLength(1);
});
