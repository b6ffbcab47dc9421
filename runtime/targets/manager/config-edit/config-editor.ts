import { configError } from '../../../contract/errors.ts';
import { isJsonPath, readConfigFile } from '../config/config-file.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import { readServersText } from '../config/read-servers-text.ts';
import { readSecretsFile } from '../config/secrets-file.ts';
import { editFile, type FileKind } from './edit-file.ts';

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

/** Edits the file of servers, which must be there. */
export async function editServers({ config }: ConfigPaths, edit: Edit): Promise<boolean> {
  refuseJson(config);
  await readServersText(config);
  return await editFile(config, async (text) => withoutGap(await edit(text)), SERVERS);
}

/** Makes a file of servers; resolves with false where there is one. */
export async function createServers({ config }: ConfigPaths, text: string): Promise<boolean> {
  refuseJson(config);
  return await editFile(config, (before) => before || text, SERVERS);
}

/** Edits the secrets file; it is made if it is not there. */
export async function editSecrets({ runtime }: ConfigPaths, edit: Edit): Promise<boolean> {
  return await editFile(runtime, edit, SECRETS);
}

/** An empty file looks like one that was cut off, and is refused; no servers have to be said. */
const withoutGap = (text: string): string =>
  text.replace(/^\uFEFF/, '').trim() === '' ? 'servers = []\n' : text;

function refuseJson(path: string): void {
  if (!isJsonPath(path)) return;
  throw configError(
    `${path} is JSON, which is read but not edited here. Edit it yourself, or bring it into a .mcpd.toml with \`mcp-manager import ${path}\`.`,
  );
}
