import { formatLicense, readLicense } from '#core/model/documents.ts';
import { withFileSource } from '#platform/file-source.ts';

/** Reads the license of the model in this file for the `licenses` command. */
export async function readModelLicense(
  path: string,
): Promise<{ json: { model: object }; text: string } | undefined> {
  const notice = await withFileSource(path, readLicense);
  return notice && { json: { model: notice }, text: formatLicense(notice) };
}
