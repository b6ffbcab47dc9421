import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { configError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { TRUSTED_SCHEMAS } from '#core/json/trusted-schemas.ts';
import { parseRate, RATE_RULE } from './rate.ts';
import { type KeyRecord, keyRecord } from './key-record.ts';

/** Reads the keys of a file with a JSON object per line; undefined if the file does not exist. Throws for an invalid line. */
export function readKeyFile(file: string): KeyRecord[] | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  const isRecord = new Ajv({ validateFormats: false, ...TRUSTED_SCHEMAS }).compile<KeyRecord>(keyRecord);
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const problem = (reason: string): Error =>
      configError(
        `${file}:${at + 1}: invalid API key: ${reason}. Remove the line, or create a new key with \`mcp-manager keys create\`.`,
      );
    const record = parse(line, problem);
    if (!isRecord(record)) {
      const [error] = isRecord.errors ?? [];
      throw problem(`${error?.instancePath.slice(1) || 'the object'} ${error?.message ?? 'is invalid'}`);
    }
    for (const key of ['created', 'expires', 'revoked'] as const) {
      if (record[key] !== undefined && Number.isNaN(Date.parse(record[key]))) {
        throw problem(`${key} must be a date`);
      }
    }
    if (record.rate !== undefined && parseRate(record.rate) === undefined) {
      throw problem(`rate must be ${RATE_RULE}`);
    }
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
    throw configError(`Cannot read the API keys: ${messageOf(error)}.`, error);
  }
}

function parse(line: string, problem: (reason: string) => Error): unknown {
  try {
    return parseJsonText(line);
  } catch {
    throw problem('the line must be valid JSON');
  }
}
