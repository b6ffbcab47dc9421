import { ASSET_NOTICES } from '../../runtime/contract/native.ts';
import { ownVersion } from '../adapters/package-files.ts';
import { unzstd } from '../adapters/zstd.ts';
import { bundleProgram, type ProgramName } from '../packaging/base/program.ts';

/** Returns the license notices that executables of this version contain. */
export async function licenses(program: ProgramName): Promise<string> {
  const { assets } = await bundleProgram(program, ownVersion());
  const notices = assets.get(ASSET_NOTICES);
  if (!notices) throw new Error(`the ${program} has no notices`);
  return new TextDecoder().decode(await unzstd(notices));
}
