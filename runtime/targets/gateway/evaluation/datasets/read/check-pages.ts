import { countOf, readThrift, structOf } from './thrift-reader.ts';

/** The part of a file with the values of a column in a row group. */
export interface ColumnChunk {
  readonly start: number;
  readonly length: number;
  readonly values: number;
}

interface Pages {
  /** Decompressed size. */
  readonly bytes: number;
  /** The page with the most values, and that with the most bytes, each with the dictionary. */
  readonly largest: { readonly values: number; readonly bytes: number };
}

/** Types of pages by their number. */
const DATA = 0;
const INDEX = 1;
const DICTIONARY = 2;
const DATA_V2 = 3;
/** A value of a dictionary takes a bit or more. */
const BITS = 8;

/** Checks the headers of all pages of a column. Throws an error. */
export function checkPages(chunk: Uint8Array, { values }: ColumnChunk): Pages {
  let at = 0;
  let counted = 0;
  let bytes = 0;
  const dictionary = { values: 0, bytes: 0 };
  const largest = { values: 0, bytes: 0 };
  while (at < chunk.length - 1 && counted < values) {
    const { value: header, length } = readThrift(chunk.subarray(at));
    const decompressed = countOf(header, 2);
    const compressed = countOf(header, 3);
    at += length;
    if (compressed > chunk.length - at) throw new Error('a page is outside of its column');
    at += compressed;
    bytes += decompressed;
    const type = countOf(header, 1);
    if (type === DICTIONARY) {
      const found = countOf(structOf(header.get(7)), 1);
      if (found > decompressed * BITS) throw new Error('a dictionary has more values than bits');
      dictionary.values += found;
      dictionary.bytes += decompressed;
      continue;
    }
    if (type === INDEX) continue;
    if (type !== DATA && type !== DATA_V2) throw new Error(`it has a page of unknown type ${type}`);
    const page = structOf(header.get(type === DATA ? 5 : 8));
    const found = countOf(page, 1);
    if (type === DATA_V2 && (countOf(page, 2) > found || countOf(page, 3) > found))
      throw new Error('a page has more rows than values');
    if (type === DATA_V2 && countOf(page, 5, 0) + countOf(page, 6, 0) > Math.min(compressed, decompressed))
      throw new Error('the levels of a page are larger than the page');
    counted += found;
    largest.values = Math.max(largest.values, found);
    largest.bytes = Math.max(largest.bytes, decompressed);
  }
  if (counted !== values)
    throw new Error(`a column promises ${values} values, and its pages have ${counted}`);
  return {
    bytes,
    largest: { values: largest.values + dictionary.values, bytes: largest.bytes + dictionary.bytes },
  };
}
