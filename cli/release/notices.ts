import { collectNotices } from '../packaging/notices/collect-notices.ts';
import type { Notice } from '../packaging/notices/format-notices.ts';
import { buildToolNotices } from '../packaging/base/build-tool.ts';
import { bundleProgram } from '../packaging/base/program.ts';
import type { BuildTarget } from '../services/target/build-result.ts';

/** Collects the notices of all software in a program's executable. */
export async function noticesOf(target: BuildTarget, version: string): Promise<Notice[]> {
  if (target === 'encoderfile') return await buildToolNotices();
  const { files } = await bundleProgram(target, version);
  return await collectNotices(files, []);
}
