import { type Container, readContainer } from '#contract/container/read.ts';
import type { Section } from '#contract/container/sections.ts';
import { withoutSignatureFields } from '#contract/container/signature-fields.ts';
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
  const read = ({ name, offset, length }: Section): AsyncIterable<Uint8Array> => {
    const chunks = readChunks({ path, offset, length });
    return name === 'executable' ? withoutSignature(chunks) : chunks;
  };
  const wanted = { ...container, sections: sections ?? container.sections };
  return await verifySections(wanted, read, newSha256, onBytes);
}

/** The first chunk contains all headers. */
async function* withoutSignature(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    yield isFirst ? withoutSignatureFields(chunk) : chunk;
    isFirst = false;
  }
}

/** Throws a ConfigError that names the altered sections of a file. */
export async function requireIntactFile(path: string, options?: VerifyOptions): Promise<void> {
  const verdicts = await verifyFile(path, options);
  if (!verdicts.every(isIntact)) throw configError(alteredMessage(path, verdicts));
}
