import { readContainer } from '../../../runtime/contract/container/read.ts';
import { isIntact, type ReadSection, verifySections } from '../../../runtime/contract/container/verify.ts';
import { withFileSource } from '../../adapters/file-source.ts';
import { newSha256 } from '../../adapters/hash.ts';
import { readChunks } from '../../adapters/read-chunks.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import type { VerifyResult } from './result.ts';

/** `encoderfile verify`: reads the whole file and compares the SHA-256 of every section. */
export async function verify(path: string, report: Reporter): Promise<VerifyResult> {
  const container = await withFileSource(path, readContainer);
  const step = report.step('Verifying');
  // Reads in chunks without blocking, so that the progress line keeps updating on files of gigabytes.
  const read: ReadSection = ({ offset, length }) => readChunks({ path, offset, length });
  const sections = await verifySections(container, read, newSha256, step.progress);
  step.done();
  return { file: path, intact: sections.every(isIntact), sections };
}
