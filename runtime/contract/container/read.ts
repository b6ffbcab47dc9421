import { configError } from '../errors.ts';
import type { ByteSource } from './byte-source.ts';
import { crc32 } from './crc32.ts';
import { decodeFooter, type Footer, FOOTER_LENGTH, FORMAT_VERSION } from './footer.ts';
import { payloadEnd } from './payload-end.ts';
import { OPTIONAL_SECTION_NAMES, type Section, SECTION_NAMES, type SectionName } from './sections.ts';

export interface Container {
  readonly formatVersion: number;
  readonly sections: readonly Section[];
}

const HEAD_LENGTH = 65_536;

/**
 * Reads the index of a container. Checks the magic number, the checksums, the version, and that
 * every section is inside the file.
 */
export function readContainer(source: ByteSource): Container {
  const head = source.readAt(0, Math.min(HEAD_LENGTH, source.size));
  const end = payloadEnd(head, source.size);
  const footer =
    end >= FOOTER_LENGTH ? decodeFooter(source.readAt(end - FOOTER_LENGTH, FOOTER_LENGTH)) : undefined;
  if (footer === undefined) {
    throw configError(
      `${source.name} is not an encoderfile executable, or it is truncated (${source.size} bytes). Copy the file again from where it was built.`,
    );
  }
  if (footer === 'corrupt') throw altered(source, 'its footer does not match its checksum');
  if (footer.formatVersion > FORMAT_VERSION) {
    throw configError(
      `${source.name} has file format ${footer.formatVersion}, but this version supports formats up to ${FORMAT_VERSION}. Use a newer encoderfile.`,
    );
  }
  return { formatVersion: footer.formatVersion, sections: readIndex(source, footer, end) };
}

export function findSection(container: Container, name: SectionName): Section | undefined {
  return container.sections.find((section) => section.name === name);
}

export function requireSection(source: ByteSource, container: Container, name: SectionName): Section {
  const section = findSection(container, name);
  if (section) return section;
  throw configError(
    name === 'executable' || name === 'runtime'
      ? `${source.name} contains no runtime (section \`${name}\` is missing). Build it again.`
      : `${source.name} contains no model (section \`${name}\` is missing). Build a model executable with \`encoderfile build\`.`,
  );
}

function readIndex(source: ByteSource, footer: Footer, end: number): Section[] {
  const { indexOffset, indexLength } = footer;
  if (indexOffset + indexLength > end - FOOTER_LENGTH) throw altered(source, 'its index is outside the file');
  const bytes = source.readAt(indexOffset, indexLength);
  if (crc32(bytes) !== footer.indexCrc) throw altered(source, 'its index does not match its checksum');
  const index = JSON.parse(new TextDecoder().decode(bytes)) as Index;
  const unknown = index.sections.find(({ name }) => !SECTION_NAMES.some((known) => known === name));
  if (unknown) throw altered(source, `section \`${unknown.name}\` is unknown`);
  const optional = (index.optional ?? []).filter(({ name }) =>
    OPTIONAL_SECTION_NAMES.some((known) => known === name),
  );
  const sections = [...index.sections, ...optional];
  for (const section of sections) {
    if (section.offset + section.length > indexOffset) {
      throw altered(source, `section \`${section.name}\` is outside the file`);
    }
  }
  return sections;
}

interface Index {
  readonly sections: readonly Section[];
  /**
   * Sections that readers can ignore. In files without such sections, the index does not contain
   * this list.
   */
  readonly optional?: readonly Section[];
}

function altered(source: ByteSource, why: string): Error {
  return configError(`${source.name} is corrupted: ${why}. Copy the file again from where it was built.`);
}
