import { AppError } from '#contract/errors.ts';
import { unifiedDiff } from '#core/text/unified-diff.ts';
import { sha256 } from '#platform/sha256.ts';
import { rejectedConfigError } from '#serve/errors/refused-config.ts';
import { changeServers, previewServers } from '../config-edit/config-editor.ts';
import { type NewServer, previewNewServers, writeServers } from '../config-edit/write-server.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import type { ManagerContext } from '../context.ts';
import { compact } from './views/compact.ts';

/** Response to a change of the servers file. */
interface EditedConfiguration {
  readonly diff: string;
  readonly written: boolean;
  readonly warnings: readonly string[];
}

interface Change {
  readonly edit: (text: string) => string;
  /** The version that the change is based on; undefined for any version. */
  readonly revision: string | undefined;
  readonly isDryRun: boolean;
}

/** Identifies a version of a file. */
export const revisionOf = (text: string): string => sha256(Buffer.from(text)).slice(0, 16);

/** Changes the servers file over HTTP. The file is authoritative: the running manager rereads it after each change. */
export interface ServersChanger {
  readonly change: (change: Change) => Promise<EditedConfiguration>;
  readonly add: (server: NewServer, isDryRun: boolean) => Promise<EditedConfiguration>;
}

export function createServersChanger(
  paths: ConfigPaths,
  { reloader }: Pick<ManagerContext, 'reloader'>,
): ServersChanger {
  const { config } = paths;

  /** The file is already written, so a failure is reported within the response. */
  const apply = async (): Promise<object> => {
    try {
      const { added, removed, restarted, updated } = await reloader.reload();
      return { applied: { added, removed, restarted, updated } };
    } catch (error) {
      return compact({ problem: AppError.from(error).message });
    }
  };
  const answer = async (
    { before, after }: { readonly before: string; readonly after: string },
    { isDryRun, warnings = [] }: { readonly isDryRun: boolean; readonly warnings?: readonly string[] },
  ): Promise<EditedConfiguration> => {
    const diff = unifiedDiff(config, before, after);
    const written = diff !== '' && !isDryRun;
    return { diff, written, warnings, ...(written ? await apply() : {}) };
  };

  return {
    change: ({ edit, revision, isDryRun }) =>
      explained(async () => {
        const checked = (text: string): string => {
          if (revision !== undefined && revision !== revisionOf(text)) throw changedMeanwhile(config);
          return edit(text);
        };
        const change = isDryRun ? previewServers : changeServers;
        return await answer(await change(paths, checked), { isDryRun });
      }),
    add: (server, isDryRun) =>
      explained(async () => {
        const { warnings, ...texts } = await previewNewServers([server], paths);
        if (!isDryRun) await writeServers([server], paths);
        return await answer(texts, { isDryRun, warnings });
      }),
  };
}

/** An error in the new configuration is an error in the request. */
export async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw rejectedConfigError(error);
  }
}

const changedMeanwhile = (path: string): AppError =>
  new AppError('ConflictError', `${path} has changed since it was read. Reload it and repeat the change.`);
