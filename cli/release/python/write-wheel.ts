import { join } from 'node:path';
import type { Platform } from '#contract/platforms.ts';
import { readOwnText } from '../../adapters/own-files.ts';
import { LICENSE_FILES, metadataText, type PythonFacts, pythonVersion, wheelTag } from './metadata.ts';
import { pythonSources } from './sources.ts';
import { openZip, type ZipEntry, type ZippedFile } from './zip.ts';

export interface WheelRequest {
  readonly facts: PythonFacts;
  readonly platform: Platform;
  /** Path of the build tool for the platform. */
  readonly executable: string;
  /** License notices for the software in the executable. */
  readonly notices: string;
  /** Folder to which the wheel is written. */
  readonly folder: string;
}

/**
 * Writes a wheel with the Python package and the build tool, which installers copy to the folder of commands. The same sources and the
 * same executable produce the same bytes.
 */
export async function writeWheel(request: WheelRequest): Promise<string> {
  const { facts, platform, executable, notices, folder } = request;
  const base = `${facts.name}-${pythonVersion(facts.version)}`;
  const path = join(folder, `${base}-${wheelTag(platform)}.whl`);
  const info = `${base}.dist-info`;
  const [license = '', noticesFile = ''] = LICENSE_FILES;
  const entries: readonly ZipEntry[] = [
    ...[...pythonSources()].map(([source, text]) => ({ path: source, text })),
    {
      path: `${base}.data/scripts/${facts.name}${platform.exeSuffix}`,
      source: executable,
      executable: true,
    },
    { path: `${info}/licenses/${license}`, text: readOwnText('LICENSE') },
    { path: `${info}/licenses/${noticesFile}`, text: notices },
    { path: `${info}/METADATA`, text: metadataText(facts, LICENSE_FILES) },
    { path: `${info}/WHEEL`, text: wheelText(platform) },
  ];
  const zip = await openZip(path);
  try {
    const written: ZippedFile[] = [];
    for (const entry of entries) written.push(await zip.add(entry));
    await zip.add({ path: `${info}/RECORD`, text: recordText(written, `${info}/RECORD`) });
    await zip.finish();
  } finally {
    await zip.close();
  }
  return path;
}

const wheelText = (platform: Platform): string =>
  `Wheel-Version: 1.0\nGenerator: encoderfile\nRoot-Is-Purelib: false\nTag: ${wheelTag(platform)}\n`;

/** The list of all files with their hashes, which does not contain its own hash. */
const recordText = (files: readonly ZippedFile[], own: string): string =>
  [
    ...files.map(
      ({ path, size, sha256 }) =>
        `${path},sha256=${Buffer.from(sha256, 'hex').toString('base64url')},${size}\n`,
    ),
    `${own},,\n`,
  ].join('');
