import { configError } from '#contract/errors.ts';
import { type ElfBytes, elfBytes } from './elf-bytes.ts';

/** One item of ICU's data, for example the country names in one language. */
interface IcuItem {
  /** The path in the package without its first folder, for example `lang/de.res`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** ICU's data in a file: a header, a table of contents, and items sorted by name. */
export interface IcuPackage {
  /** File offset of the table of contents; item offsets are relative to it. */
  readonly table: number;
  /** The folder that all item names begin with, for example `icudt78l/`. */
  readonly folder: string;
  /** All items except the last one, whose end the table of contents does not contain. */
  readonly items: readonly IcuItem[];
  readonly last: Pick<IcuItem, 'name' | 'start'>;
}

const DATA_FORMAT = new TextEncoder().encode('CmnD');
/**
 * Position of the data format in the header (`UDataInfo` of ICU's unicode/udata.h), and the magic
 * number before it.
 */
const FORMAT_AT = 12;
const MAGIC = 0x27da;
const ENTRY_LENGTH = 8;
const ITEM_ALIGNMENT = 16;

/** Finds the ICU data in a file; undefined if there is none. */
export function findIcuPackage(file: Uint8Array): IcuPackage | undefined {
  const buffer = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const bytes = elfBytes(file);
  for (let at = buffer.indexOf(DATA_FORMAT); at >= 0; at = buffer.indexOf(DATA_FORMAT, at + 1)) {
    const header = at - FORMAT_AT;
    if (header >= 0 && bytes.u16(header + 2) === MAGIC) return readPackage(bytes, header);
  }
  return undefined;
}

function readPackage(bytes: ElfBytes, header: number): IcuPackage {
  const table = header + bytes.u16(header);
  const entries = Array.from({ length: bytes.u32(table) }, (_, index) => {
    const at = table + 4 + ENTRY_LENGTH * index;
    return { path: bytes.text(table + bytes.u32(at)), start: table + bytes.u32(at + 4) };
  });
  const [first] = entries;
  const last = entries.at(-1);
  const folder = first?.path.slice(0, first.path.indexOf('/') + 1) ?? '';
  const isOrdered = entries.every(
    ({ path, start }, index) => path.startsWith(folder) && start >= (entries[index - 1]?.start ?? table),
  );
  if (!last || folder === '' || !isOrdered) {
    throw configError(
      `The ICU data at offset ${header} has an unknown format. Use the Node binary that encoderfile is pinned to.`,
    );
  }
  const items = entries.slice(0, -1).map(({ path, start }, index) => ({
    name: path.slice(folder.length),
    start,
    end: entries[index + 1]?.start ?? start,
  }));
  return { table, folder, items, last: { name: last.path.slice(folder.length), start: last.start } };
}

/**
 * Replaces the ICU package in `file` in place by one with fewer items. The last item is never
 * moved. Returns the file offset of the end of the other items.
 */
export function keepIcuItems(
  file: Uint8Array,
  { table, folder, items, last }: IcuPackage,
  isKept: (name: string) => boolean,
): number {
  const kept = items.filter(({ name }) => isKept(name));
  const names = [...kept, last].map(({ name }) => new TextEncoder().encode(`${folder}${name}\0`));
  const namesAt = 4 + ENTRY_LENGTH * names.length;
  const namesEnd = names.reduce((end, { length }) => end + length, namesAt);
  const size = kept.reduce((end, { start, end: stop }) => alignItem(end) + stop - start, namesEnd);
  const output = new Uint8Array(size);
  const bytes = elfBytes(output);
  bytes.setU32(0, names.length);
  let [nameAt, itemAt] = [namesAt, namesEnd];
  for (const [index, { start, end }] of kept.entries()) {
    const name = names[index] ?? new Uint8Array();
    itemAt = alignItem(itemAt);
    bytes.setU32(4 + ENTRY_LENGTH * index, nameAt);
    bytes.setU32(8 + ENTRY_LENGTH * index, itemAt);
    output.set(name, nameAt);
    output.set(file.subarray(start, end), itemAt);
    nameAt += name.length;
    itemAt += end - start;
  }
  bytes.setU32(4 + ENTRY_LENGTH * kept.length, nameAt);
  bytes.setU32(8 + ENTRY_LENGTH * kept.length, last.start - table);
  output.set(names.at(-1) ?? new Uint8Array(), nameAt);
  file.set(output, table);
  file.fill(0, table + size, last.start);
  return table + size;
}

const alignItem = (at: number): number => Math.ceil(at / ITEM_ALIGNMENT) * ITEM_ALIGNMENT;
