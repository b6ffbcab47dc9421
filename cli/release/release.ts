import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { configError } from '#contract/errors.ts';
import { type Platform, shortName } from '#contract/platforms.ts';
import { findOutputFile } from '#platform/files/output-target.ts';
import { readChunks } from '#platform/read-chunks.ts';
import { newSha256 } from '#platform/sha256.ts';
import { ownVersion, readOwnText } from '../adapters/own-files.ts';
import { formatNotices } from '../packaging/notices/format-notices.ts';
import { writeTarget } from '../packaging/steps/write-target.ts';
import { fillTemplate } from './fill-template.ts';
import { noticesOf } from './notices.ts';
import { executableName, type ProgramFacts } from './programs.ts';
import { signMacos } from './sign-macos.ts';
import { sbomOf } from './sbom.ts';
import type { PythonFacts } from './python/metadata.ts';
import { bundleLibrary } from './node/library.ts';
import { type PackageInput, writeMainPackage, writePlatformPackage } from './node/packages.ts';
import { noticesName, type RegistryFiles } from './registries/entry.ts';
import { registryFiles } from './registries/registries.ts';
import { writeSdist } from './python/write-sdist.ts';
import { writeWheel } from './python/write-wheel.ts';

export interface ReleaseRequest {
  readonly out: string;
  readonly platforms: readonly Platform[];
  readonly programs: readonly ProgramFacts[];
  /** URL of the folder from which users will download the files. */
  readonly url: string;
  readonly homepage: string;
  /** SPDX identifier. */
  readonly license: string;
  readonly cacheDir: string;
  /** Command that signs a macOS executable in place. */
  readonly signMacos?: string | undefined;
  /** Receives a line of text for each step. */
  readonly report: (line: string) => void;
}

/** Writes all files of a release into a new folder. */
export async function writeRelease(request: ReleaseRequest): Promise<void> {
  const { out, programs, report } = request;
  const existing = await readdir(out).catch(() => []);
  if (existing.length > 0) throw configError(`The folder ${out} is not empty. Choose a new folder.`);
  await mkdir(join(out, 'bin'), { recursive: true });
  await mkdir(join(out, 'npm'), { recursive: true });
  const hashes: string[] = [];
  for (const facts of programs) {
    for (const [platform, hash] of await writeProgram(request, facts))
      hashes.push(`${hash}  ${executableName(facts.program, platform)}`);
  }
  const values = { version: ownVersion(), url: request.url, hashes: hashes.join('\n') };
  const script = fillTemplate(readOwnText('templates/release/install.sh'), values);
  await writeFile(join(out, 'install.sh'), script, { mode: 0o755 });
  report('SHA256SUMS');
  // Both folders get checksums, because the executables are published in `bin` and together with
  // all other files.
  for (const folder of [join(out, 'bin'), out])
    await writeFile(join(folder, 'SHA256SUMS'), await checksums(folder));
}

/**
 * Writes the executables of one program, its packages, and the files that describe them. Returns the SHA-256 of each
 * executable.
 */
async function writeProgram(
  request: ReleaseRequest,
  facts: ProgramFacts,
): Promise<ReadonlyMap<Platform, string>> {
  const { out, platforms, url, homepage, license, report } = request;
  const { program, target } = facts;
  const version = ownVersion();
  const notices = await noticesOf(target, version);
  const input: PackageInput = {
    facts,
    version,
    homepage,
    notices: formatNotices(notices),
    folder: join(out, 'npm'),
  };
  const python =
    facts.pythonName === undefined ? undefined : await pythonPackage(facts.pythonName, input, out);
  const hashes = new Map<Platform, string>();
  for (const platform of platforms) {
    report(`${program} for ${shortName(platform)}`);
    const file = join(out, 'bin', executableName(program, platform));
    const { cacheDir } = request;
    await writeTarget({
      target,
      platform,
      version,
      cacheDir,
      canDownload: true,
      output: findOutputFile(file),
    });
    if (platform.os === 'darwin' && request.signMacos !== undefined) await signMacos(request.signMacos, file);
    hashes.set(platform, await hashOf(file));
    await writePlatformPackage(input, platform, file);
    if (python) await writeWheel({ ...python, platform, executable: file, notices: input.notices });
  }
  await writeMainPackage(input, target === 'encoderfile' ? await bundleLibrary() : undefined);
  if (python) await writeSdist(python.facts, python.folder);
  const noticesFile = join(out, noticesName(facts));
  await writeFile(noticesFile, input.notices);
  await writeFile(join(out, `${program}.cdx.json`), sbomOf(facts.packageName, version, notices));
  const noticesHash = await hashOf(noticesFile);
  const files = registryFiles({ facts, version, license, homepage, url, hashes, noticesHash });
  await writeRegistries(join(out, 'registries'), files);
  return hashes;
}

async function writeRegistries(folder: string, files: RegistryFiles): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: path.includes('/bin/') ? 0o755 : 0o644 });
  }
}

/** The facts about a program's wheels, and the new folder for them. */
async function pythonPackage(
  name: string,
  { facts, version, homepage }: PackageInput,
  out: string,
): Promise<{ readonly facts: PythonFacts; readonly folder: string }> {
  const folder = join(out, 'python');
  await mkdir(folder);
  return { facts: { name, summary: facts.description, version, homepage }, folder };
}

/** In the format of `sha256sum`, for `sha256sum -c SHA256SUMS`. */
async function checksums(out: string): Promise<string> {
  const entries = await readdir(out, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(out, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  const lines: string[] = [];
  for (const file of files) lines.push(`${await hashOf(join(out, file))}  ${file}\n`);
  return lines.join('');
}

async function hashOf(path: string): Promise<string> {
  const hash = newSha256();
  const { size } = await stat(path);
  for await (const chunk of readChunks({ path, offset: 0, length: size })) hash.update(chunk);
  return hash.hex();
}
