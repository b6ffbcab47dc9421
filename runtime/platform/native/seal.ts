import { type Stats, utimesSync } from 'node:fs';
import type { NativeFile } from '#contract/native.ts';

/**
 * A file whose content was compared with its SHA-256 gets a modification time derived from that hash. A program that writes to
 * the file sets the current time instead, so each start can detect a changed file without reading it: hashing all files takes
 * as long as a whole start.
 */
export function sealFile(path: string, file: NativeFile): void {
  utimesSync(path, sealTime(file), sealTime(file));
}

/** Fractions of a second are ignored, because archives and container images drop them. */
export const isSealed = (stats: Stats, file: NativeFile): boolean =>
  Math.floor(stats.mtimeMs / 1000) === sealTime(file);

/** A time between 2000 and 2017, in seconds. It is even, because some file systems count in steps of two seconds. */
const sealTime = ({ sha256 }: NativeFile): number => YEAR_2000 + 2 * Number.parseInt(sha256.slice(0, 7), 16);
const YEAR_2000 = 946_684_800;
