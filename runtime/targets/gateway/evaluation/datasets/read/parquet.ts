import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { inputError, messageOf } from '#contract/errors.ts';
import { type Parser, startParser } from '#platform/parser-thread.ts';
import type { Row } from '../dataset.ts';
import type { ParquetRequest } from './parquet-requests.ts';
import type { ReadOptions } from './read-options.ts';

const PARSER: Parser = {
  name: 'parquet',
  source: new URL('./parquet-worker.ts', import.meta.url),
  subject: 'Reading the file',
  heapMb: 512,
  seconds: 60,
  totalSeconds: 600,
};

/**
 * Reads a Parquet file in a thread. The format needs random access, so the file is written to a temporary folder first. The thread ends
 * when the reader does.
 */
export async function* readParquet(
  bytes: AsyncIterable<Uint8Array>,
  { hasLabelNames = false }: Pick<ReadOptions, 'hasLabelNames'> = {},
): AsyncGenerator<Row, void> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-dataset-'));
  try {
    const path = join(folder, 'dataset.parquet');
    await pipeline(Readable.from(bytes), createWriteStream(path, { mode: 0o600 }));
    yield* rowsOf(path, hasLabelNames);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* rowsOf(path: string, hasLabelNames: boolean): AsyncGenerator<Row, void> {
  const { ask, end } = startParser<ParquetRequest>(PARSER);
  try {
    await ask({ kind: 'open', path, hasLabelNames });
    for (;;) {
      const rows = (await ask({ kind: 'rows' })) as readonly Row[];
      if (rows.length === 0) return;
      yield* rows;
    }
  } catch (error) {
    throw inputError(`Cannot read the dataset as Parquet: ${messageOf(error).replace(/\.$/, '')}.`, error);
  } finally {
    end();
  }
}
