import { configError } from '../../../contract/errors.ts';
import { isJsonPath, readConfigFile } from '../config/config-file.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import { readServersText } from '../config/read-servers-text.ts';
import { readSecretsFile } from '../config/secrets-file.ts';
import { editFile, type FileKind, refuseDamage } from './edit-file.ts';

type Edit = (text: string) => string | Promise<string>;

const SERVERS: FileKind = {
  check: (path, text) => readConfigFile({ path, text: text.replace(/^\uFEFF/, '') }).problems,
  folderMode: 0o755,
};

const SECRETS: FileKind = {
  check: (path, text) => readSecretsFile({ path, text: text.replace(/^\uFEFF/, '') }).problems,
  mode: 0o600,
  folderMode: 0o700,
};

/** Edits the servers file, which must exist. Resolves with whether it changed. */
export async function editServers({ config }: ConfigPaths, edit: Edit): Promise<boolean> {
  refuseJson(config);
  await readServersText(config);
  return await editFile(config, async (text) => ensureNotEmpty(await edit(text)), SERVERS);
}

/** Returns the text of the servers file before and after an edit, which must be valid. Nothing is written. */
export async function previewServers(
  { config }: ConfigPaths,
  edit: Edit,
): Promise<{ readonly before: string; readonly after: string }> {
  refuseJson(config);
  const { whole: before } = await readServersText(config);
  const after = ensureNotEmpty(await edit(before));
  refuseDamage(config, { before, after }, SERVERS);
  return { before, after };
}

/** Creates the servers file; resolves with false if it exists. */
export async function createServers({ config }: ConfigPaths, text: string): Promise<boolean> {
  refuseJson(config);
  return await editFile(config, (before) => before || text, SERVERS);
}

/** Edits the secrets file, which is created if missing. Resolves with whether it changed. */
export async function editSecrets({ runtime }: ConfigPaths, edit: Edit): Promise<boolean> {
  return await editFile(runtime, edit, SECRETS);
}

/** Writes an empty list instead of an empty file, because an empty file is rejected as truncated. */
const ensureNotEmpty = (text: string): string =>
  text.replace(/^\uFEFF/, '').trim() === '' ? 'servers = []\n' : text;

function refuseJson(path: string): void {
  if (!isJsonPath(path)) return;
  throw configError(
    `Cannot edit ${path}: commands edit TOML only. Edit it by hand, or convert it with \`mcp-manager import ${path}\`.`,
  );
}
