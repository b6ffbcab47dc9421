import { type Container, readContainer } from '#contract/container/read.ts';
import { isIntact, type SectionVerdict, verifySections } from '#contract/container/verify.ts';
import { configError } from '#contract/errors.ts';
import { alteredMessage } from '#core/model/verification.ts';
import { withFileSource } from './file-source.ts';
import { readChunks } from './read-chunks.ts';
import { newSha256 } from './sha256.ts';

interface VerifyOptions {
  /** The sections to read; all if omitted. */
  readonly sections?: Container['sections'];
  readonly onBytes?: (doneBytes: number, totalBytes: number) => void;
}

/** Compares the sections of a file with their recorded SHA-256. Reads in chunks without blocking. */
export async function verifyFile(
  path: string,
  { sections, onBytes }: VerifyOptions = {},
): Promise<SectionVerdict[]> {
  const container = await withFileSource(path, readContainer);
  const read = ({ offset, length }: Container['sections'][number]): AsyncIterable<Uint8Array> =>
    readChunks({ path, offset, length });
  const wanted = { ...container, sections: sections ?? container.sections };
  return await verifySections(wanted, read, newSha256, onBytes);
}

/** Throws a ConfigError that names the altered sections of a file. */
export async function requireIntactFile(path: string, options?: VerifyOptions): Promise<void> {
  const verdicts = await verifyFile(path, options);
  if (!verdicts.every(isIntact)) throw configError(alteredMessage(path, verdicts));
}
