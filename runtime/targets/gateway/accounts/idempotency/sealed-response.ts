import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { parseJsonText } from '#core/json/json-text.ts';
import { createSeal, type Seal } from '#platform/seal.ts';

/** A complete response. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** What a response is encrypted with. The database contains only `id`, which is a hash. */
export interface SealParts {
  readonly id: string;
  readonly key: string;
  readonly credential: string;
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Length of the field with the length of the head. */
const LENGTH_BYTES = 4;

/** Compresses and encrypts a response. Only the caller's credential and its `Idempotency-Key` can decrypt it. */
export async function closeResponse(
  { status, headers, body }: StoredResponse,
  parts: SealParts,
): Promise<Uint8Array> {
  const head = Buffer.from(JSON.stringify({ status, headers }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return sealOf(parts).close(await compress(Buffer.concat([length, head, body])));
}

/** Undefined if the response was encrypted with another credential. */
export async function openResponse(
  sealed: Uint8Array,
  parts: SealParts,
): Promise<StoredResponse | undefined> {
  const compressed = sealOf(parts).openBytes(sealed);
  if (!compressed) return undefined;
  const bytes = await decompress(compressed);
  const end = LENGTH_BYTES + bytes.readUInt32BE();
  // Only `closeResponse` encrypts it.
  const head = parseJsonText(bytes.subarray(LENGTH_BYTES, end).toString('utf8')) as Omit<
    StoredResponse,
    'body'
  >;
  return { ...head, body: bytes.subarray(end) };
}

const sealOf = ({ id, key, credential }: SealParts): Seal =>
  createSeal(JSON.stringify([credential, key]), Buffer.from(id), 'idempotent response');
