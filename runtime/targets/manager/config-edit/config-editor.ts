import { configError } from '#contract/errors.ts';
import { isJsonPath, readConfigFile } from '../config/config-file.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import { readServersText } from '../config/read-servers-text.ts';
import { readSecretsFile } from '../config/secrets-file.ts';
import { rememberLatest } from '../shared/remember-latest.ts';
import { editFile, type FileKind, refuseDamage } from './edit-file.ts';

type Edit = (text: string) => string | Promise<string>;

/** Returns the problems of a servers file. The text before an edit is often the result of the previous edit. */
export const checkServers = rememberLatest(
  2,
  (path: string, text: string) => readConfigFile({ path, text: text.replace(/^\uFEFF/, '') }).problems,
);

const SERVERS: FileKind = { check: checkServers, folderMode: 0o755 };

const SECRETS: FileKind = {
  check: (path, text) => readSecretsFile({ path, text: text.replace(/^\uFEFF/, '') }).problems,
  mode: 0o600,
  folderMode: 0o700,
};

/** The servers file before and after an edit. */
interface ServersChange {
  readonly before: string;
  readonly after: string;
}

/** Edits the servers file, which must exist. Resolves with whether the file has changed. */
export async function editServers(paths: ConfigPaths, edit: Edit): Promise<boolean> {
  const { before, after } = await changeServers(paths, edit);
  return before !== after;
}

/** Edits the servers file. Resolves with its text before and after the edit. */
export async function changeServers({ config }: ConfigPaths, edit: Edit): Promise<ServersChange> {
  refuseJson(config);
  const { whole } = await readServersText(config);
  let change = { before: whole, after: whole };
  const noteTexts: Edit = async (before) => {
    change = { before, after: ensureNotEmpty(await edit(before)) };
    return change.after;
  };
  await editFile(config, noteTexts, SERVERS);
  return change;
}

/** Returns the servers file before and after an edit, without writing it. The edited file must be valid. */
export async function previewServers({ config }: ConfigPaths, edit: Edit): Promise<ServersChange> {
  refuseJson(config);
  const { whole: before } = await readServersText(config);
  const after = ensureNotEmpty(await edit(before));
  refuseDamage(config, { before, after }, SERVERS);
  return { before, after };
}

/** Creates the servers file. Resolves with false if the file already exists. */
export async function createServers({ config }: ConfigPaths, text: string): Promise<boolean> {
  refuseJson(config);
  return await editFile(config, (before) => before || text, SERVERS);
}

/** Edits the secrets file, and creates it if it is missing. Resolves with whether the file has changed. */
export async function editSecrets({ runtime }: ConfigPaths, edit: Edit): Promise<boolean> {
  return await editFile(runtime, edit, SECRETS);
}

/** Writes an empty list instead of an empty file, because an empty file is rejected as truncated. */
const ensureNotEmpty = (text: string): string =>
  text.replace(/^\uFEFF/, '').trim() === '' ? 'servers = []\n' : text;

export function refuseJson(path: string): void {
  if (!isJsonPath(path)) return;
  throw configError(
    `Cannot edit ${path}, because commands can only edit TOML. Edit the file by hand, or convert it with \`mcp-manager import ${path}\`.`,
  );
}
