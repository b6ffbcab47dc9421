import type { Container } from './read.ts';
import type { Section, SectionName } from './sections.ts';

export interface Hasher {
  update(bytes: Uint8Array): void;
  hex(): string;
}

export interface SectionVerdict {
  readonly name: SectionName;
  readonly length: number;
  readonly expected: string;
  readonly actual: string;
}

/** Reads the bytes of a section in chunks. */
type ReadSection = (section: Section) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Reads and hashes every section. `onBytes` is called with the number of bytes read so far. */
export async function verifySections(
  { sections }: Container,
  read: ReadSection,
  newHasher: () => Hasher,
  onBytes: (doneBytes: number, totalBytes: number) => void = () => {},
): Promise<SectionVerdict[]> {
  const total = sections.reduce((sum, { length }) => sum + length, 0);
  const verdicts: SectionVerdict[] = [];
  let done = 0;
  for (const section of sections) {
    const hasher = newHasher();
    for await (const chunk of read(section)) {
      hasher.update(chunk);
      done += chunk.length;
      onBytes(done, total);
    }
    const { name, length, sha256 } = section;
    verdicts.push({ name, length, expected: sha256, actual: hasher.hex() });
  }
  return verdicts;
}

export const isIntact = (verdict: SectionVerdict): boolean => verdict.actual === verdict.expected;
