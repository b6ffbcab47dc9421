import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { secretsIn } from './configured.ts';

const temp = useTempFolder();
const files = (): string[] =>
  readdirSync(join(temp(), 'user-secrets')).filter((name) => name.endsWith('.json'));
const pathOf = (name = ''): string => join(temp(), 'user-secrets', name);

test('secrets are encrypted in one file per user, which names neither the user nor the secret', async () => {
  const secrets = secretsIn(temp());
  expect(secrets.value('ann', 'TOKEN')).toBeUndefined();
  expect(await secrets.remove('ann')).toBe(0);
  expect(() => files()).toThrow('ENOENT');
  await secrets.set('ann', { TOKEN: 'hunter2', OTHER: 'o' });
  await secrets.set('bob', { TOKEN: 'bobs' });
  expect([secrets.value('ann', 'TOKEN'), secrets.value('bob', 'TOKEN')]).toEqual(['hunter2', 'bobs']);
  expect([...secrets.list('ann').keys()]).toEqual(['TOKEN', 'OTHER']);
  expect(files()).toHaveLength(2);
  for (const name of files()) {
    expect(name + readFileSync(pathOf(name), 'utf8')).not.toMatch(/ann|bob|TOKEN|hunter2/);
    expect(statSync(pathOf(name)).mode & 0o077).toBe(0);
  }
  expect(await secrets.remove('ann', 'TOKEN')).toBe(1);
  expect([secrets.value('ann', 'TOKEN'), secrets.value('ann', 'OTHER')]).toEqual([undefined, 'o']);
  expect(await secrets.remove('ann')).toBe(1);
  expect(files()).toHaveLength(1);
});

test('a change by another process is noticed', async () => {
  const [one, other] = [secretsIn(temp()), secretsIn(temp())];
  await one.set('ann', { TOKEN: 'one' });
  expect(other.value('ann', 'TOKEN')).toBe('one');
  const before = other.stateOf('ann');
  await one.set('ann', { TOKEN: 'two' });
  expect(other.stateOf('ann')).not.toBe(before);
  expect(other.value('ann', 'TOKEN')).toBe('two');
});

test('a file that was copied for another user, or is damaged, is not read', async () => {
  const secrets = secretsIn(temp());
  await secrets.set('ann', { TOKEN: 'anns' });
  const [anns = ''] = files();
  await secrets.set('bob', { TOKEN: 'bobs' });
  const bobs = files().find((name) => name !== anns) ?? '';
  copyFileSync(pathOf(anns), pathOf(bobs));
  expect(() => secrets.value('bob', 'TOKEN')).toThrow(/cannot be decrypted: it is damaged/);
  writeFileSync(pathOf(anns), '{}');
  expect(() => secrets.value('ann', 'TOKEN')).toThrow(/cannot be decrypted/);
});

test('concurrent changes keep all secrets, and a user can have at most 100', async () => {
  const secrets = secretsIn(temp());
  await Promise.all(Array.from({ length: 20 }, (_, index) => secrets.set('ann', { [`S${index}`]: 'v' })));
  expect(secrets.list('ann').size).toBe(20);
  const many = Object.fromEntries(Array.from({ length: 81 }, (_, index) => [`T${index}`, 'v']));
  await expect(secrets.set('ann', many)).rejects.toThrow('A user can have at most 100 secrets.');
});

test.each([
  ['', 'v', 'Invalid secret name ""'],
  ['A B', 'v', 'Invalid secret name "A B"'],
  ['A', '', 'The value of A is empty'],
  ['A', 'x'.repeat(16_385), 'The value of A is longer than 16384 characters'],
  ['A', 'x\0y', 'The value of A contains a NUL character'],
])('the secret %j with a value of %j is rejected', async (name, value, problem) => {
  await expect(secretsIn(temp()).set('ann', { [name]: value })).rejects.toThrow(problem);
});
