import { configError } from '#contract/errors.ts';
import { ASSET_NOTICES } from '#contract/native.ts';
import { isOneFile, NOTICES_TEXT, ownVersion, readOwnText } from '../adapters/own-files.ts';
import { unzstd } from '../adapters/zstd.ts';
import { TARGET_NAMES } from './target/build-result.ts';
import type { ProgramName } from '../packaging/base/program.ts';

/** Returns the license notices that executables of this version contain. */
export async function licenses(program: ProgramName): Promise<string> {
  if (isOneFile()) return await carriedLicenses(program);
  const { bundleProgram } = await import('../packaging/base/program.ts');
  const { assets } = await bundleProgram(program, ownVersion());
  const notices = assets.get(ASSET_NOTICES);
  if (!notices) throw new Error(`${program} has no notices`);
  return await unpack(notices);
}

const unpack = async (packed: Uint8Array): Promise<string> => new TextDecoder().decode(await unzstd(packed));

/** The notices of the one-file program cover its own software and that of model executables. */
async function carriedLicenses(program: ProgramName): Promise<string> {
  if (program === 'encoder') return await unpack(Buffer.from(readOwnText(NOTICES_TEXT), 'base64'));
  const name = TARGET_NAMES[program];
  throw configError(`${name} is not part of this program. Run \`${name} --licenses\`.`);
}
