/**
 * The parts of a container. `executable` is the base program itself (offset 0), `runtime` says what that program is made of;
 * a file with only these two is a base runtime, onto which the others are appended to make a model executable.
 */
export const SECTION_NAMES = [
  'executable',
  'runtime',
  'weights',
  'graph',
  'tokenizer',
  'config',
  'transform',
  'manifest',
] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

export interface Section {
  readonly name: SectionName;
  readonly offset: number;
  readonly length: number;
  /** CRC-32 of the section's bytes: finds damage at start, in the small sections that are read whole anyway. */
  readonly crc32?: number;
  /** Lower-case hexadecimal SHA-256 of the section's bytes: what `verify` compares. */
  readonly sha256: string;
}

/** Weights are mapped straight from the file; 64 KiB satisfies the mapping granularity of every platform. */
export const SECTION_ALIGNMENT = 65_536;

export const alignUp = (value: number, alignment: number): number => Math.ceil(value / alignment) * alignment;
