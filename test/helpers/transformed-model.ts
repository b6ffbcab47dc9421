import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ASSETS } from '#contract/assets.ts';
import type { Manifest } from '#contract/manifest.ts';
import { DEFAULT_TRANSFORM_LIMITS, type TransformLimits } from '#contract/transform.ts';
import { builtAssets } from './built.ts';

/** Copies a built model's assets into `folder` and adds a transform, as a build would have written it. */
export async function transformedModel(
  folder: string,
  model: string,
  source: string,
  limits: Partial<TransformLimits> = {},
): Promise<string> {
  const path = join(folder, `${model}.assets`);
  await cp(builtAssets(model), path, { recursive: true });
  const file = join(path, ASSETS.manifest);
  const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest;
  const transform = {
    name: 'test.lua',
    firstLine: 1,
    libraries: [],
    limits: { ...DEFAULT_TRANSFORM_LIMITS, ...limits },
  };
  await writeFile(file, JSON.stringify({ ...manifest, transform }));
  await writeFile(join(path, ASSETS.transform), source);
  return path;
}
