import type { Container } from '../../../runtime/contract/container/read.ts';
import { readContainer } from '../../../runtime/contract/container/read.ts';
import { isIntact, type SectionVerdict } from '../../../runtime/contract/container/verify.ts';
import { withFileSource } from '../../adapters/file-source.ts';
import { newSha256 } from '../../adapters/hash.ts';
import { readChunks } from '../../adapters/read-chunks.ts';
import type { Reporter } from '../../build/reporter.ts';
import type { VerifyResult } from './result.ts';

/** `encoderfile verify`: reads the whole file and compares every section with the SHA-256 it was written with. */
export async function verify(path: string, report: Reporter): Promise<VerifyResult> {
  const container = await withFileSource(path, readContainer);
  const step = report.step('Verifying');
  const sections = await hashSections(path, container, step.progress);
  step.done();
  return { file: path, intact: sections.every(isIntact), sections };
}

/** Chunk by chunk without blocking, so that the progress line stays alive on a file of gigabytes. */
async function hashSections(
  path: string,
  { sections }: Container,
  onProgress: (doneBytes: number, totalBytes: number) => void,
): Promise<SectionVerdict[]> {
  const total = sections.reduce((sum, { length }) => sum + length, 0);
  const verdicts: SectionVerdict[] = [];
  let done = 0;
  for (const { name, offset, length, sha256 } of sections) {
    const hasher = newSha256();
    for await (const chunk of readChunks({ path, offset, length })) {
      hasher.update(chunk);
      done += chunk.length;
      onProgress(done, total);
    }
    verdicts.push({ name, length, expected: sha256, actual: hasher.hex() });
  }
  return verdicts;
}
