import { configError } from '#contract/errors.ts';

/** Names of the Mach-O format (<mach-o/loader.h>). */
export const MACHO = {
  MH_MAGIC_64: 0xfeedfacf,
  MH_EXECUTE: 2,
  LC_SYMTAB: 0x2,
  LC_SEGMENT_64: 0x19,
  LC_CODE_SIGNATURE: 0x1d,
  headerLength: 32,
  /** Length of an LC_CODE_SIGNATURE command (`linkedit_data_command`). */
  signatureCommandLength: 16,
} as const;

/**
 * The positions needed to append a payload and a new signature to an executable. Offsets are file
 * offsets.
 */
export interface MachoPlan {
  /**
   * Start of the old signature, or the end of the file if it is unsigned. The payload can start
   * here, because bytes after this position are not kept.
   */
  readonly codeEnd: number;
  readonly commandCount: number;
  readonly commandsLength: number;
  /**
   * Position of LC_CODE_SIGNATURE. If `isNew` is true, the command is added in 16 bytes of the
   * padding after the last command.
   */
  readonly signatureCommand: { readonly at: number; readonly isNew: boolean };
  /** Positions of the load command and the data of `__LINKEDIT`. */
  readonly linkEdit: { readonly at: number; readonly fileOffset: number };
  /** LC_SYMTAB if its string table ends at `codeEnd`; see `sealMacho`. */
  readonly lastStrings: { readonly at: number; readonly fileOffset: number } | undefined;
  /** The `__TEXT` segment, which the signature declares as executable. */
  readonly text: { readonly fileOffset: number; readonly fileSize: number };
}

interface Command {
  readonly at: number;
  readonly type: number;
  readonly length: number;
}

/**
 * Reads the load commands of a thin 64-bit Mach-O executable, signed or not. A file without space
 * for a signature is rejected here, so that `sealMacho` cannot fail later.
 */
export function planMacho(head: Uint8Array, fileSize: number): MachoPlan {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const commands = readCommands(view);
  const commandsLength = view.getUint32(20, true);
  const commandsEnd = MACHO.headerLength + commandsLength;

  const signature = commands.find((command) => command.type === MACHO.LC_CODE_SIGNATURE);
  const codeEnd = signature ? view.getUint32(signature.at + 8, true) : fileSize;
  if (codeEnd > fileSize) {
    throw refused(`its code signature starts at ${codeEnd}, past the end of the file (${fileSize})`);
  }
  if (!signature) requireRoom(view, commands, commandsEnd);

  const segments = commands.filter((command) => command.type === MACHO.LC_SEGMENT_64);
  const text = segments.find((segment) => segmentName(view, segment) === '__TEXT');
  const linkEdit = segments.find((segment) => segmentName(view, segment) === '__LINKEDIT');
  if (!text || !linkEdit) throw refused('it has no __TEXT or no __LINKEDIT segment');
  requireLast(view, segments, linkEdit, codeEnd);

  return {
    codeEnd,
    commandCount: commands.length,
    commandsLength,
    signatureCommand: { at: signature?.at ?? commandsEnd, isNew: signature === undefined },
    linkEdit: { at: linkEdit.at, fileOffset: u64(view, linkEdit.at + 40) },
    lastStrings: findLastStrings(view, commands, codeEnd),
    text: { fileOffset: u64(view, text.at + 40), fileSize: u64(view, text.at + 48) },
  };
}

function readCommands(view: DataView): Command[] {
  if (view.byteLength < MACHO.headerLength || view.getUint32(0, true) !== MACHO.MH_MAGIC_64) {
    throw refused('it is not a thin 64-bit Mach-O file');
  }
  const type = view.getUint32(12, true);
  if (type !== MACHO.MH_EXECUTE) throw refused(`its file type is ${type}, not 2 (MH_EXECUTE)`);
  const count = view.getUint32(16, true);
  const end = MACHO.headerLength + view.getUint32(20, true);
  if (end > view.byteLength)
    throw refused(`its load commands end at ${end}, after the ${view.byteLength} bytes read`);

  const minimumLength = new Map<number, number>([
    [MACHO.LC_SEGMENT_64, 72],
    [MACHO.LC_SYMTAB, 24],
    [MACHO.LC_CODE_SIGNATURE, MACHO.signatureCommandLength],
  ]);
  const commands: Command[] = [];
  let at: number = MACHO.headerLength;
  for (let index = 0; index < count; index++) {
    if (at + 8 > end) throw refused(`load command ${index} of ${count} is truncated`);
    const command = { at, type: view.getUint32(at, true), length: view.getUint32(at + 4, true) };
    if (command.length < (minimumLength.get(command.type) ?? 8) || at + command.length > end) {
      throw refused(`load command ${index} has an invalid length (${command.length})`);
    }
    commands.push(command);
    at += command.length;
  }
  return commands;
}

/**
 * The data of the first section follows the load commands, after padding that linkers reserve for
 * later commands.
 */
function requireRoom(view: DataView, commands: readonly Command[], commandsEnd: number): void {
  let firstData = view.byteLength;
  for (const segment of commands) {
    if (segment.type !== MACHO.LC_SEGMENT_64) continue;
    const sections = view.getUint32(segment.at + 64, true);
    for (let index = 0; index < sections; index++) {
      const section = segment.at + 72 + index * 80;
      if (section + 80 > segment.at + segment.length) throw refused('a section header is truncated');
      const offset = view.getUint32(section + 48, true);
      if (offset > 0 && u64(view, section + 40) > 0) firstData = Math.min(firstData, offset);
    }
  }
  const room = firstData - commandsEnd;
  if (room < MACHO.signatureCommandLength) {
    throw refused(`it has ${Math.max(0, room)} free bytes after its load commands, and a signature needs 16`);
  }
}

/** Only the last segment can grow: its data must reach `codeEnd`, and nothing may be mapped after it. */
function requireLast(view: DataView, segments: readonly Command[], linkEdit: Command, codeEnd: number): void {
  const fileOffset = u64(view, linkEdit.at + 40);
  const dataEnd = fileOffset + u64(view, linkEdit.at + 48);
  if (fileOffset > codeEnd || dataEnd < codeEnd) {
    throw refused(
      `its __LINKEDIT segment (${fileOffset} to ${dataEnd}) does not reach the end of its code (${codeEnd})`,
    );
  }
  const after = segments.find((segment) => u64(view, segment.at + 24) > u64(view, linkEdit.at + 24));
  if (after)
    throw refused(
      `segment ${segmentName(view, after)} is mapped after __LINKEDIT, so __LINKEDIT cannot grow`,
    );
}

function findLastStrings(
  view: DataView,
  commands: readonly Command[],
  codeEnd: number,
): MachoPlan['lastStrings'] {
  const symbols = commands.find((command) => command.type === MACHO.LC_SYMTAB);
  if (!symbols) return undefined;
  const fileOffset = view.getUint32(symbols.at + 16, true);
  const size = view.getUint32(symbols.at + 20, true);
  // A signature is 16-byte aligned, so it can be preceded by up to 15 bytes of padding.
  const gap = codeEnd - (fileOffset + size);
  return size > 0 && gap >= 0 && gap < 16 ? { at: symbols.at, fileOffset } : undefined;
}

function segmentName(view: DataView, segment: Command): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + segment.at + 8, 16);
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(bytes.subarray(0, end < 0 ? 16 : end));
}

function u64(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

function refused(why: string): Error {
  return configError(
    `Cannot append a payload to the macOS executable: ${why}. Use an unmodified macOS Node binary.`,
  );
}
