import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ASSETS } from '#contract/assets.ts';
import { configError } from '#contract/errors.ts';
import type { Manifest, RuntimeInfo } from '#contract/manifest.ts';
import { parseManifest } from '#core/model/manifest-json.ts';
import { readBuiltImage } from '../oci/read-built-image.ts';
import type { BuildPlan } from '../plan.ts';
import { readBuilt } from './read-built.ts';

/** The product that a build is about to write: a model, identified by its config file, or a program without a model. */
export type Product =
  | { readonly name: string; readonly origin: string }
  | { readonly program: RuntimeInfo['program'] };

/** The product of an earlier build, in any format. */
interface Existing {
  readonly manifest: Pick<Manifest, 'name' | 'origin'> | undefined;
  readonly program: RuntimeInfo['program'];
}

/** Rejects replacing anything but an earlier build of the same product. `shown` is the output as the user wrote it. */
export async function refuseOtherProduct(
  shown: string,
  path: string,
  kind: BuildPlan['output']['kind'],
  product: Product,
): Promise<void> {
  const existing = await READERS[kind](path);
  const what = existing === undefined ? UNKNOWN[kind] : otherProduct(existing, product);
  if (what === undefined) return;
  throw configError(
    `Cannot write ${shown}: it already exists and is ${what}. Pass --force to overwrite it, or choose another output path.`,
  );
}

const UNKNOWN: Record<BuildPlan['output']['kind'], string> = {
  executable: 'a file that encoderfile did not write',
  assets: 'a file that encoderfile did not write',
  oci: 'not an image that encoderfile wrote',
};

const READERS: Record<BuildPlan['output']['kind'], (path: string) => Promise<Existing | undefined>> = {
  executable: readBuilt,
  assets: async (path) => await Promise.resolve(readAssets(path)),
  oci: async (path) => {
    const manifest = await readBuiltImage(path);
    return manifest && { manifest, program: undefined };
  },
};

function otherProduct({ manifest, program }: Existing, product: Product): string | undefined {
  if ('program' in product) return program === product.program ? undefined : 'another program';
  if (manifest === undefined) return 'not a model';
  const isSame =
    manifest.origin === undefined ? manifest.name === product.name : manifest.origin === product.origin;
  return isSame ? undefined : `the model ${manifest.name}, built from another config file`;
}

/** A folder without a manifest contains only asset files; that is checked where it is replaced. */
function readAssets(folder: string): Existing | undefined {
  try {
    const manifest = parseManifest(readFileSync(join(folder, ASSETS.manifest)));
    return { manifest, program: undefined };
  } catch {
    return undefined;
  }
}
