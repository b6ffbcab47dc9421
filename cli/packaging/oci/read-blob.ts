import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AppError, configError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { readChunks } from '#platform/read-chunks.ts';
import { newSha256, sha256 } from '#platform/sha256.ts';
import { blobPath, type Descriptor } from './oci-format.ts';

/** Larger documents are damaged: registries allow 4 MiB. */
const MAX_JSON = 16 * 1024 * 1024;

/** Reads a small JSON blob of a base image and compares it with its digest. */
export async function readJsonBlob(layout: string, { digest, size }: Descriptor): Promise<unknown> {
  if (size > MAX_JSON)
    throw corrupted(layout, `${digest} has ${size} bytes, more than the maximum of ${MAX_JSON}`);
  const bytes = await readFile(join(layout, blobPath(digest))).catch((error: unknown) => {
    throw corrupted(layout, `cannot read ${blobPath(digest)} (${messageOf(error)})`, error);
  });
  const actual = `sha256:${sha256(bytes)}`;
  if (actual !== digest)
    throw corrupted(layout, `the content of ${blobPath(digest)} has the digest ${actual}`);
  try {
    return parseJsonText(bytes.toString('utf8'));
  } catch (error) {
    throw corrupted(layout, `${blobPath(digest)} is not valid JSON`, error);
  }
}

/** Yields a blob of a base image, and throws at its end if it differs from its digest. */
export async function* readBlob(layout: string, { digest, size }: Descriptor): AsyncGenerator<Uint8Array> {
  const hash = newSha256();
  const path = blobPath(digest);
  try {
    for await (const chunk of readChunks({ path: join(layout, path), offset: 0, length: size })) {
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw corrupted(layout, `cannot read ${path} (${messageOf(error)})`, error);
  }
  const actual = `sha256:${hash.hex()}`;
  if (actual !== digest) throw corrupted(layout, `the content of ${path} has the digest ${actual}`);
}

export const corrupted = (layout: string, why: string, cause?: unknown): AppError =>
  configError(`The base image ${layout} is corrupted: ${why}. Copy it again, e.g. with skopeo.`, cause);
