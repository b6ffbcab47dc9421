import { expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';
import { createTestClock } from '../../test-clock.ts';

describeDatabases(({ create, open }) => {
  test('a sign-in code can be redeemed only once across all gateways, even after a restart', async () => {
    const url = await create();
    const clock = createTestClock();
    const [one, other] = [await open(url, { clock }), await open(url, { clock })];
    const until = clock.wholeNow() + 60_000;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => (nth % 2 === 0 ? one : other).signInCodes.redeem('one', until)),
    );
    expect(answers.filter((isFirst) => isFirst)).toHaveLength(1);
    const third = await open(url, { clock });
    expect([
      await third.signInCodes.redeem('one', until),
      await third.signInCodes.redeem('two', until),
    ]).toEqual([false, true]);
    // Expired codes are deleted.
    clock.advance(60_000);
    await third.signInCodes.redeem('three', until + 60_000);
    const rows = await third.store.db.selectFrom('gateway_sign_in_codes').select('id').execute();
    expect(rows.map(({ id }) => id)).toEqual(['three']);
  });
});
