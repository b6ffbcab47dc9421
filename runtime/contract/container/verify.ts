import type { ByteSource } from './byte-source.ts';
import type { Container } from './read.ts';
import type { SectionName } from './sections.ts';

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

const CHUNK = 4 * 1024 * 1024;

/** Reads every section and hashes it. `onBytes` hears of progress. */
export function verifySections(
  source: ByteSource,
  container: Container,
  newHasher: () => Hasher,
  onBytes: (count: number) => void = () => {},
): SectionVerdict[] {
  return container.sections.map(({ name, offset, length, sha256 }) => {
    const hasher = newHasher();
    for (let done = 0; done < length; done += CHUNK) {
      const bytes = source.readAt(offset + done, Math.min(CHUNK, length - done));
      hasher.update(bytes);
      onBytes(bytes.length);
    }
    return { name, length, expected: sha256, actual: hasher.hex() };
  });
}

export const isIntact = (verdict: SectionVerdict): boolean => verdict.actual === verdict.expected;
