import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hasReader } from '#gateway/evaluation/datasets/read/read-rows.ts';
import { HOSTILE_PARSERS } from './parsers.ts';

const RUNTIME = new URL('../../../runtime/', import.meta.url);
/** Folders in which every file parses external data, and their files that do not. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'targets/gateway/evaluation/datasets/read': [
    // Parquet has a separate test, because its files are binary.
    'check-parquet.ts',
    'parquet-requests.ts',
    'parquet-worker.ts',
    'read-bytes.ts',
    // These files check data that has already been parsed.
    'columns.ts',
    'limits.ts',
    'read-options.ts',
    'read-rows.ts',
    'utf8.ts',
  ],
};

test('every parser in the listed folders is tested with hostile input', () => {
  const covered = new Set(Object.values(HOSTILE_PARSERS).map(({ source }) => source));
  for (const source of covered) expect(existsSync(new URL(source, RUNTIME)), source).toBe(true);
  for (const [folder, others] of Object.entries(FOLDERS))
    for (const file of readdirSync(new URL(`${folder}/`, RUNTIME)))
      expect(others.includes(file) || covered.has(`${folder}/${file}`), `${folder}/${file}`).toBe(true);
});

test('every tested dataset format has a reader', () => {
  expect(['csv', 'tsv', 'jsonl', 'ndjson', 'parquet'].filter((format) => !hasReader(`a.${format}`))).toEqual(
    [],
  );
});
