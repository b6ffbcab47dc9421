import { readFileSync, appendFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { configError, messageOf, inputError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { TRUSTED_SCHEMAS } from '#core/json/trusted-schemas.ts';
import { MCP_MODES } from '../config/mcp-mode.ts';
import { isResultLimit, RESULT_LIMIT_RULE } from '../long-results/result-limits.ts';
import { parseRate, RATE_RULE } from './token-bucket.ts';
import { type Static, Type } from 'typebox';
import { dirname } from 'node:path';
import { explainWriteError } from '#platform/files/write-error.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { withFileLock } from '#platform/files/file-lock.ts';
import { writeText } from '#platform/files/write-text.ts';

/** Reads the keys from a JSON Lines file; undefined if the file does not exist. Throws on an invalid line. */
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
    if (record.resultLimit !== undefined && !isResultLimit(record.resultLimit)) {
      throw problem(`resultLimit must be ${RESULT_LIMIT_RULE}`);
    }
    return [record];
  });
}

/** @internal Exported for tests only. */
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

const patterns = Type.Array(Type.String({ minLength: 1 }));
const time = Type.String({ format: 'date-time' });

/** One line of the keys file. It contains only a hash, from which the key cannot be recovered. */
const keyRecord = Type.Object(
  {
    id: Type.String({ pattern: '^[0-9a-f]{8}$' }),
    name: Type.String({ minLength: 1 }),
    /** SHA-256 in hexadecimal. Keys have 256 random bits, so a slower hash is unnecessary. */
    hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    servers: patterns,
    tools: patterns,
    prompts: Type.Optional(patterns),
    resources: Type.Optional(patterns),
    /** Group names in lower case. */
    groups: Type.Optional(patterns),
    readOnly: Type.Boolean(),
    admin: Type.Boolean(),
    /** Whether the admin permission is read-only. */
    adminReadOnly: Type.Optional(Type.Boolean()),
    /** Whether the key can change the configuration and the keys over HTTP. */
    edit: Type.Optional(Type.Boolean()),
    rate: Type.Optional(Type.String()),
    /** Maximum size of a tool result over MCP, in characters of JSON; 0 for none. */
    resultLimit: Type.Optional(Type.Integer()),
    /** Tools at the MCP endpoint for all servers. */
    mcpMode: Type.Optional(Type.Enum([...MCP_MODES])),
    created: time,
    expires: Type.Optional(time),
    revoked: Type.Optional(time),
  },
  { additionalProperties: false },
);
export type KeyRecord = Static<typeof keyRecord>;

export type KeyState = 'active' | 'expired' | 'revoked';

export function stateOf({ expires, revoked }: Pick<KeyRecord, 'expires' | 'revoked'>, now: number): KeyState {
  if (revoked !== undefined) return 'revoked';
  return expires !== undefined && Date.parse(expires) <= now ? 'expired' : 'active';
}

/** File mode: readable by the owner only. A folder created for the file is restricted in the same way. */
const MODE = 0o600;

/** Appends a key to the file, creating the file if missing. */
export async function addKey(file: string, record: KeyRecord, now: number): Promise<void> {
  createFolders(dirname(file), 0o700);
  await withFileLock(file, () => Promise.resolve(append(file, record, now)));
}

/** Marks a key as revoked. The record is kept, because a manager without any keys is open to all clients. */
export async function revokeKey(file: string, nameOrId: string, now: number): Promise<KeyRecord> {
  // Checked before acquiring the lock: if the file does not exist, its folder may not exist either.
  findKey(readKeyFile(file) ?? [], nameOrId, file);
  return await withFileLock(file, () => revoke(file, nameOrId, now));
}

function append(file: string, record: KeyRecord, now: number): void {
  const known = readKeyFile(file) ?? [];
  if (known.some((one) => one.name === record.name && stateOf(one, now) === 'active')) {
    throw configError(
      `A key named ${JSON.stringify(record.name)} already exists. Revoke it first, or choose another name.`,
    );
  }
  try {
    const gap = known.length > 0 && !readFileSync(file, 'utf8').endsWith('\n') ? '\n' : '';
    appendFileSync(file, gap + keyFileText([record]), { mode: MODE });
  } catch (error) {
    throw explainWriteError(file, error);
  }
}

async function revoke(file: string, nameOrId: string, now: number): Promise<KeyRecord> {
  const known = readKeyFile(file) ?? [];
  const record = findKey(known, nameOrId, file);
  const revoked = { ...record, revoked: new Date(now).toISOString() };
  const text = keyFileText(known.map((one) => (one === record ? revoked : one)));
  await writeText(file, text, { mode: MODE });
  return revoked;
}

/** Returns the key that is not revoked with this name or ID. Throws an InputError if there is none, or several. */
export function findKey(known: readonly KeyRecord[], nameOrId: string, file: string): KeyRecord {
  const matches = known.filter(
    ({ id, name, revoked }) => revoked === undefined && (id === nameOrId || name === nameOrId),
  );
  const [record, other] = matches;
  if (!record) {
    const names = known.filter(({ revoked }) => revoked === undefined).map(({ name }) => name);
    throw inputError(
      `${file} contains no active key ${JSON.stringify(nameOrId)}. ${names.length === 0 ? 'It has no active keys.' : `Active keys: ${names.join(', ')}.`}`,
    );
  }
  if (other) {
    const ids = matches.map(({ id }) => id);
    throw inputError(`Several keys are named ${JSON.stringify(nameOrId)}. Use an ID: ${ids.join(', ')}.`);
  }
  return record;
}
