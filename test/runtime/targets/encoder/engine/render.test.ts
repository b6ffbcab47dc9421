import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Manifest } from '#contract/manifest.ts';
import { renderRows } from '#encoder/engine/render.ts';
import { MANIFESTS } from '../surfaces/fixture-models.ts';

test('an image that is too large for PNG masks is an error of the request, and the other images have results', () => {
  const manifests = JSON.parse(readFileSync(MANIFESTS, 'utf8')) as Record<'regions', Manifest>;
  const sizes = [
    { height: 60_000, width: 60_000 },
    { height: 2, width: 1 },
  ];
  // Both images have two labels: the upper cell has the first one, the lower cell has the second one.
  const scores = [1, 0, 0, 1];
  const { bytes, ends, failures } = renderRows({
    output: { data: Float32Array.from([...scores, ...scores]), dims: [2, 2, 2, 1], imageSizes: sizes },
    batch: { ids: new Int32Array(2), lengths: new Int32Array([1, 1]), columns: 1 },
    rows: sizes.map(() => ({
      view: { kind: 'result', format: 'json', options: { mask: 'png' } },
      details: undefined,
      words: undefined,
    })),
    manifest: manifests.regions,
    transformed: undefined,
  });
  expect(failures).toEqual([
    { row: 0, message: expect.stringContaining('too large for masks as PNG'), isInput: true },
  ]);
  const [end] = ends;
  expect(JSON.parse(Buffer.from(bytes.subarray(end)).toString())).toMatchObject({
    segments: [
      { label: 'red', area: 1, share: 0.5 },
      { label: 'green', area: 1, share: 0.5 },
    ],
  });
});
