import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCalibrationImages } from '#cli/packaging/quantize/calibration-images.ts';
import type { ImageRecipe, ImageSize } from '#contract/image-recipe.ts';
import { drawnImage } from '#core/images/drawn-image.ts';
import { sha256 } from '#platform/sha256.ts';
import { SHAPES } from '../../../helpers/golden-shapes.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const SIZE = { height: 8, width: 12 };
const RECIPE: ImageRecipe & { readonly size: ImageSize } = {
  alpha: 'discard',
  resize: { to: { kind: 'exact', ...SIZE }, filter: 'bilinear' },
  values: [{ kind: 'rescale', factor: 1 / 255, offset: 0 }],
  channels: 'rgb',
  size: SIZE,
};

test('drawn images are the same on each machine, and different from each other', () => {
  const images = Array.from({ length: 20 }, (_, number) => drawnImage(number, { width: 40, height: 30 }));
  expect(new Set(images.map(({ pixels }) => sha256(pixels))).size).toBe(20);
  for (const { pixels } of images) {
    expect(pixels).toHaveLength(40 * 30 * 3);
    // No image has a single color.
    expect(new Set(pixels).size).toBeGreaterThan(3);
  }
  expect(sha256(Buffer.concat(images.map(({ pixels }) => pixels)))).toBe(
    'fc8e13008ca0f084b8c103bb87d07bf9432364ae403f540787360c07e416d1af',
  );
});

test('without a folder, 128 images are drawn, and half of them are held out', async () => {
  const { calibration, heldOut } = await readCalibrationImages(undefined, RECIPE);
  expect([calibration.length, heldOut.length]).toEqual([64, 64]);
  for (const values of [...calibration, ...heldOut]) {
    expect(values).toHaveLength(3 * SIZE.height * SIZE.width);
    expect(values.every((value) => value >= 0 && value <= 1)).toBe(true);
  }
});

test('a folder needs enough images, and each must be readable', async () => {
  const photos = join(folder(), 'photos');
  mkdirSync(photos);
  const refused = async (path: string): Promise<string> =>
    await readCalibrationImages(path, RECIPE).then(
      () => 'no error',
      (error: unknown) => String(error),
    );
  expect(await refused(join(photos, 'missing'))).toContain(
    'missing, which is not a folder. For a model that',
  );
  expect(await refused(photos)).toContain('contains no images');
  for (let at = 0; at < 39; at += 1)
    writeFileSync(join(photos, `${at}.png`), SHAPES[at % SHAPES.length]?.bytes ?? '');
  expect(await refused(photos)).toContain('which contains 39 images; at least 40 are required.');
  writeFileSync(join(photos, 'z.png'), 'a text');
  expect(await refused(photos)).toMatch(/z\.png, which cannot be read: The image is not a JPEG.* Remove it/);
  writeFileSync(join(photos, 'z.png'), SHAPES[0]?.bytes ?? '');
  const { calibration, heldOut } = await readCalibrationImages(photos, RECIPE);
  expect([calibration.length, heldOut.length]).toEqual([20, 20]);
});
