import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { isCount } from '#core/numbers/is-count.ts';
import { memberOf } from '#core/values/member-of.ts';
import { type HubReference, isCommit } from '../../config/hub-reference.ts';
import type { HubClient } from './hub-client.ts';
import { isSafePath } from './safe-path.ts';
import { pushAll } from '#core/values/push-all.ts';

/** A file of a repository at one commit. */
export interface HubFile {
  readonly path: string;
  readonly bytes: number;
  /**
   * Hash of the content, which also names the blob in the cache: SHA-256 for large files, otherwise
   * Git's hash.
   */
  readonly hash: string;
}

/** Maximum number of files and folders in a repository; longer lists are not read. */
const MAX_ENTRIES = 50_000;

/** Returns the commit that a branch, tag or abbreviated commit refers to. */
export async function resolveCommit(client: HubClient, reference: HubReference): Promise<string> {
  const { repository, revision } = reference;
  const { value } = await client.readJson(
    `/api/models/${repository}/revision/${encodeURIComponent(revision)}`,
    { reference },
  );
  const commit = memberOf(value, 'sha');
  if (typeof commit === 'string' && isCommit(commit)) return commit;
  throw notAHub('its model response has no commit');
}

/** Lists the files of a commit. */
export async function listFiles(
  client: HubClient,
  reference: HubReference,
  commit: string,
): Promise<HubFile[]> {
  const files: HubFile[] = [];
  let entries = 0;
  let page: string | undefined = `/api/models/${reference.repository}/tree/${commit}?recursive=true`;
  while (page !== undefined) {
    const { value, next } = await client.readJson(page, { reference });
    if (!Array.isArray(value)) throw notAHub('its file list is not a JSON array');
    pushAll(
      files,
      value.flatMap((entry: unknown) => fileOf(entry) ?? []),
    );
    entries += value.length;
    if (entries > MAX_ENTRIES) {
      throw new AppError(
        'TooLargeError',
        `hf:${reference.repository} has more than ${MAX_ENTRIES} files. Download the model with another tool and build from its folder.`,
      );
    }
    // An empty page ends the list, because a server could otherwise return empty pages in an endless loop.
    page = value.length === 0 ? undefined : next;
  }
  return files;
}

/** Reads an entry of a list. Folders and files with unsafe names are skipped. */
function fileOf(entry: unknown): HubFile | undefined {
  if (!isObject(entry)) return undefined;
  const { path, type, lfs } = entry;
  if (typeof path !== 'string' || type !== 'file' || !isSafePath(path)) return undefined;
  const bytes = isObject(lfs) ? lfs['size'] : entry['size'];
  const hash = isObject(lfs) ? lfs['oid'] : entry['oid'];
  const isKnown = isCount(bytes) && typeof hash === 'string' && HASH.test(hash);
  return isKnown ? { path, bytes, hash } : undefined;
}

export const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

const notAHub = (problem: string): AppError =>
  new AppError(
    'UpstreamError',
    `The server does not respond like a Hugging Face hub: ${problem}. Check HF_ENDPOINT.`,
  );
