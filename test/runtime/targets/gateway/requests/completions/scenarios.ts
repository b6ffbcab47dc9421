import * as fc from 'fast-check';

/** Of the fixture: names that say how it behaves. */
export const MODELS = [
  'good',
  'no-usage',
  'fails-500',
  'fails-400',
  'ends-early',
  'ends-at-once',
  'malformed-often',
  'error-first',
  'error-later',
  'rate-limited',
  'wrong-type',
] as const;
/** Where something of ours can break, and what breaks. */
const POINTS = [
  'identity.spender',
  'identity.requireModel',
  'prices.at',
  'guardrails.checkInput',
  'guardrails.checkOutput',
  'ledger.reserve',
  'ledger.quota',
  'router.resolve',
  'router.chat',
  // A cached answer is written without a message.
  'ledger.settle after',
  'ledger.release after',
] as const;
export type Point = (typeof POINTS)[number];

export const scenario = fc.record({
  model: fc.constantFrom(...MODELS),
  stream: fc.boolean(),
  guardrails: fc.constantFrom(
    [],
    [{ profile: 'injection', on: ['input', 'output'] }],
    [{ profile: 'injection', on: ['output'], mode: 'monitor' }],
  ) as fc.Arbitrary<readonly object[]>,
  says: fc.constantFrom<string>('Hello', 'an attack'),
  broken: fc.option(fc.constantFrom(...POINTS), { nil: undefined }),
  /** After so many pieces the client leaves; before the request at -1, before the first byte at -2. */
  leavesAfter: fc.option(fc.integer({ min: -2, max: 4 }), { nil: undefined }),
  /** How: its signal, or by reading no more. */
  leavesBy: fc.constantFrom<string>('signal', 'cancel'),
});

type Scenario = Parameters<Parameters<(typeof scenario)['map']>[0]>[0];

/** Every point for every kind of answer: what is drawn may miss one. */
export const EVERYWHERE: readonly Scenario[] = [undefined, ...POINTS].flatMap((broken) =>
  [false, true].flatMap((stream) =>
    [undefined, -2, -1, 1].flatMap((leavesAfter) =>
      ['Hello', 'an attack'].map((says) => ({
        model: says === 'Hello' && leavesAfter === 1 ? ('fails-400' as const) : ('good' as const),
        stream,
        guardrails: [{ profile: 'injection', on: ['output'] }],
        says,
        broken,
        leavesAfter,
        leavesBy: 'signal',
      })),
    ),
  ),
);

export const inGroups = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

export const INJECTED = new Error('injected');
export const injected = (): Error => INJECTED;

/** The same object, whose one function breaks. */
export function breakable(broken: Point | undefined) {
  return <Parts extends object>(name: string, parts: Parts): Parts => {
    const own = POINTS.find((point) => point === broken && point.startsWith(`${name}.`))?.split('.')[1];
    return own === undefined || own.includes(' ')
      ? parts
      : {
          ...parts,
          [own]: () => {
            if (own === 'requireModel' || own === 'resolve') throw injected();
            return Promise.reject(injected());
          },
        };
  };
}
