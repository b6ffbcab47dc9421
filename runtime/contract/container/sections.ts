/**
 * Sections of a container. `executable` is the base program itself (offset 0), and `runtime`
 * describes its components. A file with only these two is a base runtime; the others are appended
 * to it to create a model executable. `program` and `code-cache` replace the base runtime's program
 * with another one, for example the one-file build tool.
 */
export const SECTION_NAMES = [
  'executable',
  'runtime',
  'weights',
  'graph',
  'tokenizer',
  'config',
  'transform',
  'layers',
  'manifest',
  'program',
  'code-cache',
] as const;

/**
 * Sections that readers may ignore. The index lists them separately, because readers of format 1
 * reject files with unknown sections.
 */
export const OPTIONAL_SECTION_NAMES = ['license', 'card'] as const;
export type OptionalSectionName = (typeof OPTIONAL_SECTION_NAMES)[number];
export type SectionName = (typeof SECTION_NAMES)[number] | OptionalSectionName;

export interface Section {
  readonly name: SectionName;
  readonly offset: number;
  readonly length: number;
  /**
   * CRC-32 of the section. It detects corruption at startup in the small sections, which are read
   * completely anyway.
   */
  readonly crc32?: number;
  /** SHA-256 of the section in lowercase hexadecimal, checked by `verify`. */
  readonly sha256: string;
}

/** Alignment of sections. Weights are mapped from the file, and 64 KiB satisfies the mapping granularity of every platform. */
export const SECTION_ALIGNMENT = 65_536;

export const alignUp = (value: number, alignment: number): number => Math.ceil(value / alignment) * alignment;
