import { lookup } from '#core/values/lookup.ts';
const UNITS = lookup<number>({
  b: 1,
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
});

export const BYTE_SIZE_RULE = 'a size with a unit such as "512MiB" or "1.5GB"';

/** Parses a size, and returns it in whole bytes. Returns undefined if the size is invalid or zero. */
export function parseByteSize(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(text.trim()) ?? [];
  const bytes = Math.floor(Number(number) * (UNITS[unit.toLowerCase()] ?? Number.NaN));
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}
