import { configError } from '#contract/errors.ts';
import { readText, type TextFileOnDisk } from '#platform/read-text.ts';

/** Reads the servers file; rejects with a ConfigError if it does not exist. */
export async function readServersText(path: string): Promise<TextFileOnDisk> {
  const file = await readText(path);
  if (file) return file;
  throw configError(
    `The configuration file ${path} does not exist. Create it with \`mcp-manager init\`, or choose another file with --config.`,
  );
}
