import {
  array,
  assert,
  constantFrom,
  dictionary,
  integer,
  letrec,
  oneof,
  property,
  string,
} from 'fast-check';
import { expect, test } from 'vitest';
import { jsonSize } from '#manager/shared/json-size.ts';

const plain = string({ unit: constantFrom('a', 'é', '7') });
const { tree } = letrec((tie) => ({
  tree: oneof(
    { maxDepth: 4 },
    plain,
    integer(),
    constantFrom(true, false, null),
    array(tie('tree')),
    dictionary(plain, tie('tree')),
  ),
}));

test('the size approximates the length of the JSON text', () => {
  assert(
    property(tree, (value) => {
      const text = JSON.stringify(value);
      const slack = (text.match(/[[{]/g) ?? []).length;
      expect(Math.abs(jsonSize(value) - text.length)).toBeLessThanOrEqual(slack);
    }),
  );
});

test('counting stops above the maximum', () => {
  const endless: unknown[] = [];
  endless.push(endless, 'text');
  expect(jsonSize(endless, 1000)).toBeGreaterThan(1000);
});
