/**
 * Sections of a container. `executable` is the base program itself (offset 0), and `runtime` describes its components. A file
 * with only these two is a base runtime; the others are appended to it to create a model executable. `program` and
 * `code-cache` replace the program of the base runtime by another one: the build tool as one file.
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
 * Sections that readers can ignore. They are listed apart from the others in the index, because readers of format 1 refuse a file
 * with a section that they do not know.
 */
export const OPTIONAL_SECTION_NAMES = ['license', 'card'] as const;
export type OptionalSectionName = (typeof OPTIONAL_SECTION_NAMES)[number];
export type SectionName = (typeof SECTION_NAMES)[number] | OptionalSectionName;

export interface Section {
  readonly name: SectionName;
  readonly offset: number;
  readonly length: number;
  /** CRC-32 of the section, for detecting corruption at start in the small sections that are read completely anyway. */
  readonly crc32?: number;
  /** SHA-256 of the section in lowercase hexadecimal, which `verify` compares. */
  readonly sha256: string;
}

/** Alignment of sections. Weights are mapped from the file, and 64 KiB satisfies the mapping granularity of every platform. */
export const SECTION_ALIGNMENT = 65_536;

export const alignUp = (value: number, alignment: number): number => Math.ceil(value / alignment) * alignment;
