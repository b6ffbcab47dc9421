import { isIntact } from '#contract/container/verify.ts';
import { verifyFile } from '#platform/verify-file.ts';
import type { Reporter, ReportedStep } from '../../packaging/reporter.ts';
import type { VerifyResult } from './result.ts';

/** `encoderfile verify`: reads the whole file and compares the SHA-256 of every section. */
export async function verify(path: string, report: Reporter): Promise<VerifyResult> {
  // The step only starts when the first bytes have been read, so that a file of another kind is
  // rejected without a progress line.
  let step: ReportedStep | undefined;
  const sections = await verifyFile(path, {
    onBytes(done, total) {
      step ??= report.step('Verifying');
      step.progress(done, total);
    },
  });
  step?.done();
  return { file: path, intact: sections.every(isIntact), sections };
}
