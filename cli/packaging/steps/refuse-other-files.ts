import { readdir } from 'node:fs/promises';
import { configError } from '#contract/errors.ts';

const LAYOUT_NAMES: ReadonlySet<string> = new Set(['oci-layout', 'index.json', 'blobs']);

/** Rejects replacing a folder that contains more than an OCI layout, also with --force: it would delete files of a user. */
export async function refuseOtherFiles(path: string, shown: string): Promise<void> {
  const names = await readdir(path).catch(() => []);
  const foreign = names.find((name) => !LAYOUT_NAMES.has(name));
  if (foreign === undefined) return;
  throw configError(
    `Cannot write ${shown}: it contains other files (${foreign}). Choose another output path, or empty the folder.`,
  );
}
