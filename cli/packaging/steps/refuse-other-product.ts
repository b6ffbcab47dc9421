import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ASSETS } from '../../../runtime/contract/assets.ts';
import { configError } from '../../../runtime/contract/errors.ts';
import type { RuntimeInfo } from '../../../runtime/contract/manifest.ts';
import { parseManifest } from '../../../runtime/core/model/manifest-json.ts';
import { type Built, readBuilt } from './read-built.ts';

/** The product that a build is about to write: a model, identified by its config file, or a program without a model. */
export type Product =
  | { readonly name: string; readonly origin: string }
  | { readonly program: RuntimeInfo['program'] };

/** Rejects replacing anything but an earlier build of the same product. `shown` is the output as the user wrote it. */
export async function refuseOtherProduct(
  shown: string,
  path: string,
  kind: 'executable' | 'assets',
  product: Product,
): Promise<void> {
  const existing = kind === 'assets' ? readAssets(path) : await readBuilt(path);
  const what =
    existing === undefined ? 'a file that encoderfile did not write' : otherProduct(existing, product);
  if (what === undefined) return;
  throw configError(
    `Cannot write ${shown}: it already exists and is ${what}. Pass --force to overwrite it, or choose another output path.`,
  );
}

function otherProduct({ manifest, program }: Built, product: Product): string | undefined {
  if ('program' in product) return program === product.program ? undefined : 'another program';
  if (manifest === undefined) return 'not a model';
  const isSame =
    manifest.origin === undefined ? manifest.name === product.name : manifest.origin === product.origin;
  return isSame ? undefined : `the model ${manifest.name}, built from another config file`;
}

/** A folder without a manifest contains only asset files; that is checked where it is replaced. */
function readAssets(folder: string): Built | undefined {
  try {
    const manifest = parseManifest(readFileSync(join(folder, ASSETS.manifest)));
    return { manifest, program: undefined };
  } catch {
    return undefined;
  }
}
