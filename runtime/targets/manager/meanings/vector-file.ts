import { join } from 'node:path';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { messageOf } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { findOutputFile } from '#platform/files/output-target.ts';
import { readOwnFile, removeUntrusted, removeUnused, requireOwnFolder } from '#platform/files/own-files.ts';
import { replaceFile } from '#platform/files/replace-file.ts';
import { sha256 } from '#platform/sha256.ts';
import type { Logger } from '#serve/log.ts';

/**
 * The vectors of one encoder.
 *
 * @internal Exported for tests only.
 */
export interface SavedVectors {
  /** Vector of a fixed text, which shows whether the encoder still has the same model. */
  readonly probe: Float32Array;
  /** Vectors by the hash of their text. All have the dimension of the probe. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

/** The file with the vectors of one encoder, which several managers can share. */
export interface VectorFile {
  /** Returns the vectors; undefined if there are none, or if the file is damaged or not trustworthy. */
  load(): Promise<SavedVectors | undefined>;
  /** Replaces the file. A failure is logged, and the vectors are then only in memory. */
  save(saved: SavedVectors): Promise<void>;
}

/** Changes when the texts of items or the file's format change, so that older files are not used. */
const VERSION = 1;
/** Characters of a hash, in hexadecimal. */
const HASH_LENGTH = 64;
const HASH_BYTES = HASH_LENGTH / 2;
const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;
/** Maximum length of the header line. */
const MAX_HEADER_BYTES = 512;
/** Maximum size of all vectors in the file. The vectors in memory have the same limit. */
export const MAX_VECTOR_BYTES = 64 * 1_048_576;
const MAX_FILE_BYTES = 2 * MAX_VECTOR_BYTES;
const FILE = /^[\da-f]{64}\.vectors$/;

/** Opens the file of an encoder. `encoder` is its path or URL. */
export function openVectorFile(folder: string, encoder: string, log: Logger): VectorFile {
  const path = join(folder, `${sha256(encoder)}.vectors`);
  /** Whether saving fails, which is logged once. */
  let isFailing = false;
  return {
    async load() {
      try {
        await requireOwnFolder(folder);
        await removeUnused(folder, FILE);
        return parseVectors(await readOwnFile(path, MAX_FILE_BYTES));
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') {
          log.warn({ file: path }, `saved search vectors are ignored: ${messageOf(error)}`);
        }
        return undefined;
      }
    },
    async save(saved) {
      try {
        createFolders(folder, 0o700);
        await requireOwnFolder(folder);
        await removeUntrusted(path);
        const bytes = formatVectors(saved);
        await replaceFile(findOutputFile(path), { mode: 0o600 }, async (file) => await file.writeFile(bytes));
        isFailing = false;
      } catch (error) {
        if (isFailing) return;
        isFailing = true;
        log.warn(
          { folder },
          `cannot save search vectors, which are computed again at the next start: ${messageOf(error)}`,
        );
      }
    },
  };
}

/**
 * A line of JSON, then the vector of the probe, then each hash followed by its vector. Numbers are
 * little-endian.
 *
 * @internal Exported for tests only.
 */
export function formatVectors({ probe, vectors }: SavedVectors): Buffer {
  const rowBytes = probe.length * FLOAT_BYTES;
  const body = Buffer.alloc(rowBytes + vectors.size * (HASH_BYTES + rowBytes));
  let at = writeFloats(body, 0, probe);
  for (const [hash, vector] of vectors) {
    at += body.write(hash, at, 'hex');
    at = writeFloats(body, at, vector);
  }
  const facts = { version: VERSION, dimension: probe.length, count: vectors.size, sha256: sha256(body) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(facts)}\n`), body]);
}

/**
 * Parses a file. Throws if it is damaged.
 *
 * @internal Exported for tests only.
 */
export function parseVectors(file: Buffer): SavedVectors {
  const end = file.subarray(0, MAX_HEADER_BYTES).indexOf('\n');
  if (end < 0) throw new Error('the file is damaged');
  const {
    version,
    dimension,
    count,
    sha256: digest,
  } = membersOf(parseJsonText(file.toString('utf8', 0, end)));
  if (version !== VERSION) throw new Error('another version of the program wrote the file');
  const body = file.subarray(end + 1);
  if (!isCount(dimension) || !isCount(count) || digest !== sha256(body))
    throw new Error('the file is damaged');
  const rowBytes = dimension * FLOAT_BYTES;
  if (body.length !== rowBytes + count * (HASH_BYTES + rowBytes)) throw new Error('the file is damaged');
  const vectors = new Map<string, Float32Array>();
  for (let at = rowBytes; at < body.length; at += HASH_BYTES + rowBytes) {
    const hash = body.toString('hex', at, at + HASH_BYTES);
    vectors.set(hash, readFloats(body, at + HASH_BYTES, dimension));
  }
  return { probe: readFloats(body, 0, dimension), vectors };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function writeFloats(bytes: Buffer, at: number, values: Float32Array): number {
  let next = at;
  for (const value of values) next = bytes.writeFloatLE(value, next);
  return next;
}

function readFloats(bytes: Buffer, at: number, count: number): Float32Array {
  const values = new Float32Array(count);
  for (let index = 0; index < count; index += 1) values[index] = bytes.readFloatLE(at + index * FLOAT_BYTES);
  if (!values.every(Number.isFinite)) throw new Error('the file is damaged');
  return values;
}
