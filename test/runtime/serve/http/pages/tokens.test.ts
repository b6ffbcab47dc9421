import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const TOKENS = readFileSync(
  new URL('../../../../../runtime/serve/http/pages/browser/tokens.css', import.meta.url),
  'utf8',
);
const [light = '', dark = ''] = TOKENS.split('@media (prefers-color-scheme: dark)');
const THEMES = { light, dark };

type Vector = readonly [number, number, number];

/** The linear light of a token, which is a hexadecimal color. */
function colorOf(theme: string, token: string): Vector {
  const [, hex = ''] = new RegExp(`--${token}: #([0-9a-f]{6});`).exec(theme) ?? [];
  if (hex === '') throw new Error(`no color ${token}`);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return [red, green, blue];
}

const luminance = ([red, green, blue]: Vector): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: Vector, other: Vector): number {
  const [dim = 0, bright = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (bright + 0.05) / (dim + 0.05);
}

type Matrix = readonly [Vector, Vector, Vector];
const times = (matrix: Matrix, vector: Vector): Vector => {
  const [x, y, z] = matrix.map((row) => row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2]);
  return [x ?? 0, y ?? 0, z ?? 0];
};

/** Linear light as people with each kind of color vision see it (Machado, Oliveira, Fernandes 2009, severity 1). */
const VISIONS: Record<string, Matrix> = {
  typical: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** A color in OKLab, where distances correspond to perceived differences: https://bottosson.github.io/posts/oklab/ */
function oklab(light: Vector): Vector {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    [Math.max(0, light[0]), Math.max(0, light[1]), Math.max(0, light[2])],
  );
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [Math.cbrt(cones[0]), Math.cbrt(cones[1]), Math.cbrt(cones[2])],
  );
}

const distance = (one: Vector, other: Vector): number =>
  Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);

const SERIES = [1, 2, 3, 4, 5, 6].map((number) => `series-${number}`);

describe.each(Object.entries(THEMES))('the %s theme', (_, theme) => {
  test('text has a contrast of at least 4.5, and edges and chart series have a contrast of at least 3', () => {
    const measured = [
      ...['ink', 'soft', 'accent', 'alarm', 'warning', 'good'].flatMap((token) =>
        ['ground', 'surface', 'sunken'].map((ground) => ({ token, ground, least: 4.5 })),
      ),
      ...['alarm', 'warning', 'good'].map((token) => ({ token, ground: `${token}-wash`, least: 4.5 })),
      { token: 'accent-deep', ground: 'accent-wash', least: 4.5 },
      { token: 'on-accent', ground: 'accent', least: 4.5 },
      { token: 'surface', ground: 'alarm', least: 4.5 },
      ...['edge', ...SERIES].flatMap((token) =>
        ['ground', 'surface'].map((ground) => ({ token, ground, least: 3 })),
      ),
    ].map((pair) => ({ ...pair, ratio: contrast(colorOf(theme, pair.token), colorOf(theme, pair.ground)) }));
    expect(measured.filter(({ ratio, least }) => ratio < least)).toEqual([]);
  });

  test.each(Object.entries(VISIONS))(
    'any two chart series are distinguishable with %s',
    (_vision, matrix) => {
      const seen = SERIES.map((token) => oklab(times(matrix, colorOf(theme, token))));
      const distances = seen.flatMap((one, at) => seen.slice(at + 1).map((other) => distance(one, other)));
      // 0.02 is a just noticeable difference.
      expect(Math.min(...distances)).toBeGreaterThan(0.1);
    },
  );
});
