import * as fc from 'fast-check';

/** Models of the fixture; their names select its behavior. */
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
/** Points at which a gateway component can fail, and the failure. */
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
  // A cached response is recorded without a message.
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
  /** The client disconnects after this many chunks: -1 for before the request, -2 for before the first byte. */
  leavesAfter: fc.option(fc.integer({ min: -2, max: 4 }), { nil: undefined }),
  /** How it disconnects: by aborting, or by no longer reading. */
  leavesBy: fc.constantFrom<string>('signal', 'cancel'),
});

type Scenario = Parameters<Parameters<(typeof scenario)['map']>[0]>[0];

/** Every point for every kind of response, because random choices can miss one. */
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

/** The same object, with one failing function. */
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
