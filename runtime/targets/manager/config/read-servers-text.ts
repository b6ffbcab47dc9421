import { configError } from '../../../contract/errors.ts';
import { readText, type TextFileOnDisk } from '../../../platform/read-text.ts';

/** The text of the file of servers, which must be there. */
export async function readServersText(path: string): Promise<TextFileOnDisk> {
  const file = await readText(path);
  if (file) return file;
  throw configError(
    `There is no configuration at ${path}. Create one with \`mcp-manager init\`, or name another with --config.`,
  );
}
