import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { configError, messageOf } from '../../../contract/errors.ts';
import { parseJsonText } from '../../../core/json/json-text.ts';
import { parseRate } from './rate.ts';
import { type KeyRecord, keyRecord } from './key-record.ts';

/**
 * The keys in the file, which has a JSON object on each line. Nothing if there is no file. Throws a ConfigError that names
 * the line which is no key.
 */
export function readKeyFile(file: string): KeyRecord[] | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  const isRecord = new Ajv({ validateFormats: false }).compile<KeyRecord>(keyRecord);
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const problem = (reason: string): Error =>
      configError(
        `${file}, line ${at + 1} is no API key: ${reason}. Remove the line, or make a new key with \`keys create\`.`,
      );
    const record = parse(line, problem);
    if (!isRecord(record)) {
      const [error] = isRecord.errors ?? [];
      throw problem(`${error?.instancePath.slice(1) || 'the object'} ${error?.message ?? 'is wrong'}`);
    }
    for (const key of ['created', 'expires', 'revoked'] as const) {
      if (record[key] !== undefined && Number.isNaN(Date.parse(record[key]))) {
        throw problem(`${key} is no date`);
      }
    }
    if (record.rate !== undefined && parseRate(record.rate) === undefined) throw problem('rate is no rate');
    return [record];
  });
}

export const keyFileText = (records: readonly KeyRecord[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw configError(`The file of API keys cannot be read: ${messageOf(error)}.`, error);
  }
}

function parse(line: string, problem: (reason: string) => Error): unknown {
  try {
    return parseJsonText(line);
  } catch {
    throw problem('it is not JSON');
  }
}
