import { crc32 } from './crc32.ts';
import { encodeFooter, FOOTER_LENGTH, FORMAT_VERSION } from './footer.ts';
import {
  alignUp,
  OPTIONAL_SECTION_NAMES,
  type Section,
  SECTION_ALIGNMENT,
  type SectionName,
} from './sections.ts';

interface PlacedPart {
  readonly name: SectionName;
  readonly offset: number;
  readonly length: number;
}

/**
 * Positions of the sections, the index and the footer of a container. They are determined before
 * the hashes are known, so space for the longest possible hashes is reserved.
 */
export interface Layout {
  readonly parts: readonly PlacedPart[];
  readonly indexOffset: number;
  /** End of the footer. It is a multiple of 16, because a Mach-O signature must start at such an offset. */
  readonly end: number;
}

export type SectionHashes = Pick<Section, 'crc32' | 'sha256'>;

export function layoutContainer(
  executableLength: number,
  payload: readonly { name: SectionName; length: number }[],
): Layout {
  const parts: PlacedPart[] = [{ name: 'executable', offset: 0, length: executableLength }];
  let at = executableLength;
  for (const { name, length } of payload) {
    const offset = alignUp(at, SECTION_ALIGNMENT);
    parts.push({ name, offset, length });
    at = offset + length;
  }
  const indexOffset = alignUp(at, 16);
  const indexLength = encodeIndex(
    parts.map((part) => ({ ...part, crc32: WIDEST_CRC, sha256: '0'.repeat(64) })),
  ).length;
  return { parts, indexOffset, end: alignUp(indexOffset + indexLength + FOOTER_LENGTH, 16) };
}

/** Encodes the index and the footer as one block of bytes to write at `layout.indexOffset`. */
export function encodeTail(layout: Layout, hashes: ReadonlyMap<SectionName, SectionHashes>): Uint8Array {
  const sections = layout.parts.map((part): Section => {
    const found = hashes.get(part.name);
    if (!found) throw new Error(`section ${part.name} was laid out but not written`);
    return { ...part, ...found };
  });
  const index = encodeIndex(sections);
  const tail = new Uint8Array(layout.end - layout.indexOffset);
  tail.set(index, 0);
  const footer = {
    formatVersion: FORMAT_VERSION,
    indexOffset: layout.indexOffset,
    indexLength: index.length,
    indexCrc: crc32(index),
  };
  tail.set(encodeFooter(footer), tail.length - FOOTER_LENGTH);
  return tail;
}

const WIDEST_CRC = 0xffffffff;

function encodeIndex(all: readonly Section[]): Uint8Array {
  const sections = all.filter(({ name }) => !isOptional(name));
  const optional = all.filter(({ name }) => isOptional(name));
  return new TextEncoder().encode(JSON.stringify({ sections, ...(optional.length > 0 ? { optional } : {}) }));
}

const isOptional = (name: SectionName): boolean =>
  OPTIONAL_SECTION_NAMES.some((optional) => optional === name);
