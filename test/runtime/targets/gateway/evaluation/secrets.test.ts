import { expect, test } from 'vitest';
import { createSecrets } from '#gateway/evaluation/secrets.ts';
import { describeDatabases } from '../databases.ts';
import { MASTER_KEY } from '../master-key.ts';
import { createTestClock } from '../test-clock.ts';
import { ownerNamed } from '../owners.ts';

describeDatabases((database) => {
  const open = async () => {
    const store = await database.openStore(await database.create());
    const clock = createTestClock();
    const secretsWith = (masterKey: string | undefined) => createSecrets(store, { clock, masterKey });
    return { store, clock, secretsWith, secrets: secretsWith(MASTER_KEY) };
  };

  test('a secret is stored encrypted, changed, listed without its value, and deleted', async () => {
    const { secrets, store, clock } = await open();
    expect(await secrets.set(ownerNamed('ann'), 'openai', 'sk-größe', 'for tests')).toBe(true);
    clock.advance(1000);
    expect(await secrets.set(ownerNamed('ann'), 'openai', 'sk-second', 'changed')).toBe(false);
    expect(await secrets.reveal(ownerNamed('ann'), 'openai')).toBe('sk-second');
    expect(await secrets.list(ownerNamed('ann'))).toEqual([
      {
        name: 'openai',
        description: 'changed',
        createdAt: clock.wholeNow() - 1000,
        updatedAt: clock.wholeNow(),
      },
    ]);
    const [row] = await store.db.selectFrom('gateway_secrets').selectAll().execute();
    expect(Buffer.from(row?.value ?? []).includes('sk-second')).toBe(false);
    await secrets.delete(ownerNamed('ann'), 'openai');
    expect(await secrets.list(ownerNamed('ann'))).toEqual([]);
    await expect(secrets.delete(ownerNamed('ann'), 'openai')).rejects.toMatchObject({
      code: 'NotFoundError',
    });
  });

  test('each owner has separate secrets', async () => {
    const { secrets } = await open();
    await secrets.set(ownerNamed('ann'), 'key', 'of ann', '');
    await secrets.set(null, 'key', 'of the master', '');
    expect(await secrets.reveal(ownerNamed('ann'), 'key')).toBe('of ann');
    expect(await secrets.reveal(null, 'key')).toBe('of the master');
    expect(await secrets.has(ownerNamed('bob'), 'key')).toBe(false);
    await expect(secrets.reveal(ownerNamed('bob'), 'key')).rejects.toMatchObject({ code: 'NotFoundError' });
  });

  test('a secret cannot be decrypted with another master key, and the error explains why', async () => {
    const { secrets, secretsWith } = await open();
    await secrets.set(null, 'key', 'value', '');
    await expect(secretsWith('another').reveal(null, 'key')).rejects.toThrow(
      "Secret 'key' was encrypted with a different master key. Set it again.",
    );
    expect(await secretsWith(MASTER_KEY).reveal(null, 'key')).toBe('value');
  });

  test.each([
    ['', 'value', /^Invalid secret name ""\. Use 1 to 100 letters/],
    ['a/b', 'value', /^Invalid secret name "a\/b"\. Use 1 to 100 letters/],
    ['a\0', 'value', /^Invalid secret name "a\\u0000"\. Use 1 to 100 letters/],
    ['name', '', /must have 1 to 1024 characters; this one has 0\./],
    ['name', 'x'.repeat(1025), /this one has 1025/],
  ])('a secret is rejected if its name %j or its value is invalid', async (name, value, message) => {
    const { secrets } = await open();
    await expect(secrets.set(null, name, value, '')).rejects.toThrow(message);
  });
});
