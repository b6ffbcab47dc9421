import type { Invocation, Output } from '#serve/cli/command.ts';
import { configPaths } from '../../config/config-paths.ts';
import type { SecretsEntry } from '../../config/secrets-file.ts';

/** Edits a server's values in the secrets file and reports whether the file changed. Resolves with the exit code. */
export async function editServerSecrets(
  invocation: Invocation,
  output: Output,
  { server, edit }: { readonly server: string; readonly edit: (text: string) => string },
): Promise<number> {
  const paths = configPaths(invocation, process.env);
  const { editSecrets } = await import('../../config-edit/config-editor.ts');
  await requireServer(paths.config, server);
  const changed = await editSecrets(paths, edit);
  output.err(changed ? `Changed ${paths.runtime}.\n` : `Nothing to change in ${paths.runtime}.\n`);
  return 0;
}

/** Reads a server's values from the secrets file. */
export async function readServerSecrets(invocation: Invocation, server: string): Promise<SecretsEntry> {
  const paths = configPaths(invocation, process.env);
  const [{ readText }, { noSecrets, readSecretsFile }, { problemsError }, { serverName }] = await Promise.all(
    [
      import('#platform/read-text.ts'),
      import('../../config/secrets-file.ts'),
      import('../../config/problems.ts'),
      import('../../config/server-name.ts'),
    ],
  );
  await requireServer(paths.config, server);
  const { servers, problems } = readSecretsFile(await readText(paths.runtime));
  if (problems.length > 0) throw problemsError(problems);
  return servers.get(serverName(server)) ?? noSecrets(server);
}

/** Rejects an unknown server: its values would have no effect, and its name is probably misspelled. */
async function requireServer(path: string, server: string): Promise<void> {
  const [{ readServersText }, { readConfigFile }, { serverName }, { unknownServer }] = await Promise.all([
    import('../../config/read-servers-text.ts'),
    import('../../config/config-file.ts'),
    import('../../config/server-name.ts'),
    import('../../config-edit/named-index.ts'),
  ]);
  const { names } = readConfigFile(await readServersText(path));
  if (!names.includes(serverName(server))) throw unknownServer(server, names);
}
