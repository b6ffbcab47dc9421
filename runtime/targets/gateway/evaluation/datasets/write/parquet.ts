import { zstdCompressSync } from 'node:zlib';
import { createYielder } from '#platform/run-yielding.ts';
import type { Dataset, Datasets, RowCells } from '../dataset.ts';
import { columnPage } from './column-page.ts';
import { type ColumnType, createColumnTypes } from './column-type.ts';
import { encodeThrift, i32, i64, thriftList, thriftStruct, thriftText, type Thrift } from './thrift.ts';

// The format: https://parquet.apache.org/docs/file-format/ and parquet.thrift.

const MAGIC = Buffer.from('PAR1');
const TYPE = { text: 6, integer: 2, number: 5, boolean: 0, texts: 6, json: 6 } as const;
const OPTIONAL = 1;
const REPEATED = 2;
/** Parquet types of a string and of a list group. */
const UTF8 = 0;
const LIST = 3;
const PLAIN = 0;
const RLE = 3;
const ZSTD = 6;
const DATA_PAGE = 0;
const CREATED_BY = 'encoderfile gateway';

/**
 * A dataset's rows as a Parquet file, one row group at a time. All rows are read once beforehand, because the
 * footer contains the column types, which must fit every row.
 */
export async function* datasetParquet(
  { id, columns }: Pick<Dataset, 'id' | 'columns'>,
  datasets: Pick<Datasets, 'rows'>,
): AsyncGenerator<Uint8Array, void> {
  const yieldToOthers = createYielder();
  const found = createColumnTypes(columns);
  for await (const { rows } of datasets.rows(id)) {
    for (const row of rows) found.add(row);
    await yieldToOthers();
  }
  const types = found.types();
  yield MAGIC;
  let offset: number = MAGIC.length;
  let total = 0;
  const groups: Thrift[] = [];
  for await (const { rows } of datasets.rows(id)) {
    const group = rowGroup(rows, columns, types, offset);
    groups.push(group.metadata);
    yield group.bytes;
    offset += group.bytes.length;
    total += rows.length;
    await yieldToOthers();
  }
  const footer = encodeThrift(
    thriftStruct({
      1: i32(2),
      2: thriftList('struct', schemaOf(columns, types)),
      3: i64(total),
      4: thriftList('struct', groups),
      6: thriftText(CREATED_BY),
    }),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  yield Buffer.concat([footer, length, MAGIC]);
}

function schemaOf(columns: readonly string[], types: readonly ColumnType[]): readonly Thrift[] {
  return [
    thriftStruct({ 4: thriftText('schema'), 5: i32(columns.length) }),
    ...columns.flatMap((name, at) => {
      const type = types[at] ?? 'text';
      if (type !== 'texts') {
        const meaning = type === 'text' || type === 'json' ? i32(UTF8) : undefined;
        return [thriftStruct({ 1: i32(TYPE[type]), 3: i32(OPTIONAL), 4: thriftText(name), 6: meaning })];
      }
      return [
        thriftStruct({ 3: i32(OPTIONAL), 4: thriftText(name), 5: i32(1), 6: i32(LIST) }),
        thriftStruct({ 3: i32(REPEATED), 4: thriftText('list'), 5: i32(1) }),
        thriftStruct({ 1: i32(TYPE.texts), 3: i32(OPTIONAL), 4: thriftText('element'), 6: i32(UTF8) }),
      ];
    }),
  ];
}

function rowGroup(
  rows: readonly RowCells[],
  columns: readonly string[],
  types: readonly ColumnType[],
  start: number,
): { readonly bytes: Buffer; readonly metadata: Thrift } {
  const parts: Uint8Array[] = [];
  const chunks: Thrift[] = [];
  let offset = start;
  let uncompressed = 0;
  for (const [at, name] of columns.entries()) {
    const type = types[at] ?? 'text';
    const page = columnPage(
      type,
      rows.map((row) => row[name] ?? null),
    );
    const content = zstdCompressSync(page.bytes);
    const header = encodeThrift(
      thriftStruct({
        1: i32(DATA_PAGE),
        2: i32(page.bytes.length),
        3: i32(content.length),
        5: thriftStruct({ 1: i32(page.values), 2: i32(PLAIN), 3: i32(RLE), 4: i32(RLE) }),
      }),
    );
    const size = header.length + content.length;
    parts.push(header, content);
    uncompressed += header.length + page.bytes.length;
    chunks.push(
      thriftStruct({
        2: i64(offset),
        3: thriftStruct({
          1: i32(TYPE[type]),
          2: thriftList('i32', [i32(PLAIN), i32(RLE)]),
          3: thriftList('text', (type === 'texts' ? [name, 'list', 'element'] : [name]).map(thriftText)),
          4: i32(ZSTD),
          5: i64(page.values),
          6: i64(header.length + page.bytes.length),
          7: i64(size),
          9: i64(offset),
        }),
      }),
    );
    offset += size;
  }
  return {
    bytes: Buffer.concat(parts),
    metadata: thriftStruct({ 1: thriftList('struct', chunks), 2: i64(uncompressed), 3: i64(rows.length) }),
  };
}
