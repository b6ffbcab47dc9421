import type { Invocation, Output } from '#serve/cli/command.ts';
import { configPaths } from '../../config/config-paths.ts';

export type NameListKey = 'tools' | 'prompts' | 'resources';

/** A list of names of a server: those that callers can use, or with `deny`, those that they cannot. */
interface NameList {
  readonly server: string;
  readonly key: NameListKey;
  readonly deny: boolean;
}

export async function readNameList(
  invocation: Invocation,
  { server, key, deny }: NameList,
): Promise<readonly string[]> {
  const { config } = configPaths(invocation, process.env);
  const [{ readServersText }, { readServerKey }] = await Promise.all([
    import('../../config/read-servers-text.ts'),
    import('../../config-edit/servers-text.ts'),
  ]);
  const { text } = await readServersText(config);
  return namesIn(readServerKey(text, server, fileKey(key, deny)), { key, deny });
}

/** Edits a list in the file and prints whether the file changed. Resolves with the exit code. */
export async function writeNameList(
  invocation: Invocation,
  output: Output,
  {
    change,
    server,
    key,
    deny,
  }: NameList & { readonly change: (before: readonly string[]) => readonly string[] },
): Promise<number> {
  const paths = configPaths(invocation, process.env);
  const [{ editServers }, { readServerKey, setServerKey }] = await Promise.all([
    import('../../config-edit/config-editor.ts'),
    import('../../config-edit/servers-text.ts'),
  ]);
  const changed = await editServers(paths, (text) => {
    const written = readServerKey(text, server, fileKey(key, deny));
    const before = Array.isArray(written) ? written.map(String) : [];
    return setServerKey(text, server, fileKey(key, deny), [...change(before)]);
  });
  output.err(changed ? `Changed ${paths.config}.\n` : `Nothing to change in ${paths.config}.\n`);
  return 0;
}

const fileKey = (key: NameListKey, deny: boolean): string => (deny ? `deny_${key}` : key);

/** Returns the names of a list. Without a list, all prompts and resources are allowed, but no tools. */
function namesIn(written: unknown, { key, deny }: Pick<NameList, 'key' | 'deny'>): readonly string[] {
  if (Array.isArray(written)) return written.map(String);
  return deny || key === 'tools' ? [] : ['*'];
}
