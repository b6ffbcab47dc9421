import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { orderForSession } from '#gateway/shared/rendezvous.ts';
import { orderByWeight } from '#gateway/shared/weighted-order.ts';

const sessions = Array.from({ length: 20_000 }, (_, number) => `session ${number}`);
const firstOf = (choices: readonly { readonly name: string; readonly weight: number }[], session: string) =>
  orderForSession(choices, session)[0]?.name;
const choicesOf = (...weights: number[]) =>
  weights.map((weight, number) => ({ name: `key-${number}`, weight }));

test('each choice comes first for a share of the sessions that is proportional to its weight', () => {
  const choices = choicesOf(1, 2, 5);
  const counts = Map.groupBy(sessions, (session) => firstOf(choices, session));
  for (const { name, weight } of choices) {
    const share = (counts.get(name)?.length ?? 0) / sessions.length;
    expect(Math.abs(share - weight / 8)).toBeLessThan(0.015);
  }
});

test('without one choice, only its own sessions get another first choice', () => {
  const choices = choicesOf(1, 1, 2, 3);
  const left = choices.slice(1);
  for (const session of sessions.slice(0, 2000)) {
    const before = firstOf(choices, session);
    const next = orderForSession(choices, session).find(({ name }) => name !== 'key-0')?.name;
    expect(firstOf(left, session)).toBe(before === 'key-0' ? next : before);
  }
});

test('a choice with more weight takes sessions over, and no other sessions move', () => {
  const gained = sessions.slice(0, 2000).flatMap((session) => {
    const [before, after] = [firstOf(choicesOf(1, 1, 1), session), firstOf(choicesOf(4, 1, 1), session)];
    return before === after ? [] : [after];
  });
  expect(gained.length).toBeGreaterThan(500);
  expect(new Set(gained)).toEqual(new Set(['key-0']));
});

test('every order contains all choices once, and those with weight 0 last', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 8 }),
      fc.string(),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (weights, session, random) => {
        const choices = choicesOf(...weights);
        for (const order of [orderForSession(choices, session), orderByWeight(choices, () => random)]) {
          expect(order.map(({ name }) => name).toSorted()).toEqual(
            choices.map(({ name }) => name).toSorted(),
          );
          const isLast = order.map(({ weight }) => weight === 0);
          expect(isLast).toEqual(isLast.toSorted((one, other) => Number(one) - Number(other)));
        }
      },
    ),
    // In the example, the random point is rounded to the end of all weights.
    { examples: [[[0, Number.MIN_VALUE], '', 0.500_000_000_000_000_1]] },
  );
});
