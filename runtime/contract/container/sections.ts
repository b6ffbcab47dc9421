/**
 * Sections of a container. `executable` is the base program itself (at offset 0), and `runtime`
 * describes its components. A file with only these two sections is a base runtime; other sections
 * are appended to it to create a model executable. `program` and `code-cache` contain a program
 * that runs instead of the base runtime's program, for example the one-file build tool.
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
  'label-tokenizer',
  'image-graph',
  'manifest',
  'program',
  'code-cache',
] as const;

/**
 * Sections that readers can ignore. The index contains them in a separate list, because readers of
 * format 1 reject files with unknown sections.
 */
export const OPTIONAL_SECTION_NAMES = ['license', 'card', 'static'] as const;
export type OptionalSectionName = (typeof OPTIONAL_SECTION_NAMES)[number];
export type SectionName = (typeof SECTION_NAMES)[number] | OptionalSectionName;

export interface Section {
  readonly name: SectionName;
  readonly offset: number;
  readonly length: number;
  /**
   * CRC-32 of the section. At startup, it is checked for the small sections, because these are read
   * completely anyway.
   */
  readonly crc32?: number;
  /** SHA-256 of the section in lowercase hexadecimal, checked by `verify`. */
  readonly sha256: string;
}

/**
 * Alignment of sections. Weights are mapped into memory from the file, and 64 KiB is a multiple of
 * the mapping granularity of every platform.
 */
export const SECTION_ALIGNMENT = 65_536;

export const alignUp = (value: number, alignment: number): number => Math.ceil(value / alignment) * alignment;
