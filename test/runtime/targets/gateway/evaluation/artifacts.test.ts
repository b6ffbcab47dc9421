import { expect, test } from 'vitest';
import { createArtifacts } from '#gateway/evaluation/artifacts.ts';
import { describeDatabases } from '../databases.ts';
import { createTestClock } from '../test-clock.ts';

describeDatabases((database) => {
  const open = async () => {
    const store = await database.openStore(await database.create());
    const clock = createTestClock();
    return { store, clock, artifacts: createArtifacts(store, clock) };
  };
  const partsOf = (address: string) => {
    const { pathname, searchParams } = new URL(address, 'http://gateway');
    return {
      id: pathname.split('/').at(-1) ?? '',
      expires: searchParams.get('expires') ?? '',
      signature: searchParams.get('sig') ?? '',
    };
  };

  test('a signed URL is valid for one hour and one file, in every process', async () => {
    const { artifacts, clock, store } = await open();
    const { id, expires, signature } = partsOf(await artifacts.address('one'));
    expect(id).toBe('one');
    await artifacts.check(id, expires, signature);
    await createArtifacts(store, clock).check(id, expires, signature);
    await expect(artifacts.check('two', expires, signature)).rejects.toMatchObject({
      code: 'ForbiddenError',
    });
    await expect(artifacts.check(id, String(Number(expires) + 1), signature)).rejects.toThrow(
      /^Invalid signature in the download URL\. Request a new URL\.$/,
    );
    await expect(artifacts.check(id, expires, `${signature}==`)).rejects.toThrow(
      /^Invalid signature in the download URL\. Request a new URL\.$/,
    );
    await expect(artifacts.check(id, undefined, undefined)).rejects.toThrow(
      /^Invalid signature in the download URL\. Request a new URL\.$/,
    );
    clock.advance(3_600_000);
    await expect(artifacts.check(id, expires, signature)).rejects.toThrow(/has expired/);
  });
});
