/** Number of bytes at the start of a file that determine its platform. */
export const HEADER_BYTES = 4096;

const ELF_MACHINES: Readonly<Record<number, string>> = { 62: 'linux-x64', 183: 'linux-arm64' };
const MACHO_CPUS: Readonly<Record<number, string>> = {
  0x01_00_00_07: 'darwin-x64',
  0x01_00_00_0c: 'darwin-arm64',
};
const PE_MACHINES: Readonly<Record<number, string>> = { 0x86_64: 'win32-x64', 0xaa_64: 'win32-arm64' };

/**
 * An executable's platform, derived from its first bytes, e.g. `linux-x64`; null for other files, such as
 * scripts. The names match Node's `process.platform` and `process.arch`.
 */
export function executablePlatform(header: Buffer): string | null {
  const has = (end: number): boolean => header.length >= end;
  if (has(20) && header.toString('latin1', 0, 4) === '\x7FELF')
    return ELF_MACHINES[header.readUInt16LE(18)] ?? null;
  if (has(8) && header.readUInt32LE(0) === 0xfe_ed_fa_cf) return MACHO_CPUS[header.readUInt32LE(4)] ?? null;
  if (has(64) && header.toString('latin1', 0, 2) === 'MZ') {
    const at = header.readUInt32LE(60);
    return has(at + 6) ? (PE_MACHINES[header.readUInt16LE(at + 4)] ?? null) : null;
  }
  return null;
}
