import { describe, expect, test } from 'vitest';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { toJsonLine, toPrettyJson } from '#encoder/json/json.ts';

const VECTOR = Float32Array.of(0.1, -2.5, 3);

test('a line of JSON', () => {
  expect(toJsonLine({ index: 0, label: 'g\u00FCt', embedding: VECTOR, missing: undefined })).toBe(
    '{"index":0,"label":"g\u00FCt","embedding":[0.1,-2.5,3]}',
  );
});

describe('pretty JSON', () => {
  test('prints lists of plain values on one line', () => {
    const value = {
      embeddings: [VECTOR, VECTOR],
      predictions: [{ tokens: ['a', '"'], labels: [], score: 0.5, missing: undefined }, {}],
      metadata: null,
    };
    expect(toPrettyJson(value)).toBe(
      [
        '{',
        '  "embeddings": [',
        '    [0.1, -2.5, 3],',
        '    [0.1, -2.5, 3]',
        '  ],',
        '  "predictions": [',
        '    {',
        '      "tokens": ["a", "\\""],',
        '      "labels": [],',
        '      "score": 0.5',
        '    },',
        '    {}',
        '  ],',
        '  "metadata": null',
        '}',
      ].join('\n'),
    );
  });

  test.each([10, 20_000])('prints %i floats in their shortest form', (count) => {
    const values = Float32Array.from({ length: count }, (_, at) => Math.sin(at) * 10 ** ((at % 20) - 10));
    const text = `[${Array.from(values, shortestFloat32).join(', ')}]`;
    expect(toPrettyJson(values)).toBe(text);
    expect(toPrettyJson({ a: [values] })).toBe(`{\n  "a": [\n    ${text}\n  ]\n}`);
  });
});
