import { expect, test } from 'vitest';
import { openLearnedFactors } from '#gateway/requests/tokens/learned-factors.ts';
import { createTokenCounter } from '#gateway/requests/tokens/token-counter.ts';
import { describeDatabases } from '../../databases.ts';
import { createTestClock } from '../../test-clock.ts';

const MODEL = 'anthropic:claude-sonnet-4-5';
const BODY = {
  messages: [{ role: 'user', content: 'A text in plain English, of some length. '.repeat(40) }],
};

describeDatabases((database) => {
  test('learned token factors survive a restart and are dropped after 90 days', async () => {
    const url = await database.create();
    const clock = createTestClock();
    const errors: unknown[] = [];
    const open = async () => {
      const store = await database.openStore(url);
      const factors = await openLearnedFactors(store, {
        clock,
        onError: (error) => errors.push(error),
        forgetsOld: true,
      });
      const counter = createTokenCounter(factors);
      await counter.loading([MODEL]);
      return { counter, close: factors.close };
    };
    const first = await open();
    const guess = first.counter.prompt(MODEL, BODY);
    first.counter.learn(MODEL, guess, guess.tokens * 2);
    expect(first.counter.prompt(MODEL, BODY).tokens).toBe(guess.tokens * 2);
    await first.close();
    const second = await open();
    expect(second.counter.prompt(MODEL, BODY).tokens).toBe(guess.tokens * 2);
    second.counter.learn(MODEL, guess, guess.tokens);
    const learned = second.counter.prompt(MODEL, BODY).tokens;
    expect(learned).toBeLessThan(guess.tokens * 2);
    // The factors are also written without a restart, because a gateway can be killed.
    clock.advance(60_000);
    await second.close();
    const third = await open();
    expect(third.counter.prompt(MODEL, BODY).tokens).toBe(learned);
    await third.close();
    clock.advance(91 * 86_400_000);
    const fourth = await open();
    expect(fourth.counter.prompt(MODEL, BODY).tokens).toBe(guess.tokens);
    await fourth.close();
    expect(errors).toEqual([]);
  });
});
