import { describe, expect, test } from 'vitest';
import type { Activation, LayerSettings } from '#contract/sentence.ts';
import { applyLayers, layersOf } from '#encoder/math/inference.ts';
import { largestDifference } from '#test/helpers/close.ts';

const dense = (activation: Activation, bias = true): LayerSettings => ({
  kind: 'dense',
  inputs: 2,
  outputs: 3,
  bias,
  activation,
});
const VECTOR = Float32Array.of(2, -1);
const apply = (settings: readonly LayerSettings[], values: readonly number[]): number[] => [
  ...applyLayers(VECTOR, layersOf(settings, Float32Array.from(values))),
];

describe('a dense layer', () => {
  const weights = [1, 2, -3, 1, 0.5, 0.5];

  test.each([
    ['identity', [10, 13, 30.5]],
    ['relu', [10, 13, 30.5]],
    ['tanh', [1, 1, 1]],
    ['sigmoid', [1, 1, 1]],
  ] as const)('with %s multiplies and adds the bias', (activation, expected) => {
    expect(largestDifference(apply([dense(activation)], [...weights, 10, 20, 30]), expected)).toBeLessThan(
      1e-4,
    );
  });

  test.each([
    ['identity', [0, -7, 0.5]],
    ['relu', [0, 0, 0.5]],
    ['tanh', [0, Math.tanh(-7), Math.tanh(0.5)]],
    ['sigmoid', [0.5, 1 / (1 + Math.exp(7)), 1 / (1 + Math.exp(-0.5))]],
  ] as const)('with %s and without a bias multiplies', (activation, expected) => {
    expect(largestDifference(apply([dense(activation, false)], weights), expected)).toBeLessThan(1e-6);
  });

  test('propagates NaN', () => {
    for (const activation of ['identity', 'relu', 'tanh', 'sigmoid'] as const) {
      expect(apply([dense(activation, false)], [NaN, 0, 1, 1, 1, 1])[0]).toBeNaN();
    }
  });
});

test('layers are applied in order, each with its own weights', () => {
  const layers: LayerSettings[] = [
    { kind: 'layer_norm', width: 2 },
    { kind: 'normalize' },
    { kind: 'dense', inputs: 2, outputs: 1, bias: true, activation: 'identity' },
  ];
  // The norm returns ±1 (a little less because of its epsilon), which the scale and the bias change to 3 and 4.
  const [result] = apply(layers, [2, 1, 1, 5, 10, 20, 0.5]);
  expect(result).toBeCloseTo((10 * 3) / 5 + (20 * 4) / 5 + 0.5, 4);
});

test('without layers, the vector is unchanged', () => {
  expect(applyLayers(VECTOR, [])).toBe(VECTOR);
});
