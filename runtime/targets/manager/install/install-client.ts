import { constants, existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unifiedDiff } from '#core/text/unified-diff.ts';
import { findOutputFile } from '#platform/files/output-target.ts';
import { readText } from '#platform/read-text.ts';
import { editFile } from '../config-edit/edit-file.ts';
import type { McpClientFile } from './clients.ts';
import { editClientText, hasComments } from './edit-client-text.ts';

export interface ClientEdit {
  readonly path: string;
  readonly name: string;
  /** The manager's entry; undefined removes it. */
  readonly entry: object | undefined;
  /** Whether nothing is written. */
  readonly dryRun: boolean;
  readonly now: Date;
}

export interface EditedClient {
  /** The change as a unified diff; empty if there is none. */
  readonly diff: string;
  /** The backup of the previous file; undefined if there was no file. */
  readonly backup: string | undefined;
  readonly warnings: readonly string[];
}

/** Adds the manager to a client's file, or removes it, and keeps a backup of the file. */
export async function editClientFile(client: McpClientFile, edit: ClientEdit): Promise<EditedClient> {
  const { path, dryRun, now } = edit;
  const before = await readText(path);
  const text = before?.whole ?? '';
  const edited = editClientText(text, client, edit);
  const diff = unifiedDiff(path, text, edited);
  const warnings = warningsFor(client, path, text);
  if (diff === '' || dryRun) return { diff, backup: undefined, warnings };
  const backup = before && `${findOutputFile(path).path}.${timestamp(now)}.bak`;
  // An existing backup is never overwritten, because it may be the only copy of the original file.
  if (backup !== undefined && !existsSync(backup)) await copyFile(path, backup, constants.COPYFILE_EXCL);
  await editFile(path, (current) => editClientText(current, client, edit), {
    check: () => [],
    // A new file is only accessible to its owner, because it can contain keys.
    mode: before?.mode ?? 0o600,
    folderMode: 0o755,
  });
  return { diff, backup, warnings };
}

function warningsFor(
  { format, comments = false, title }: McpClientFile,
  path: string,
  text: string,
): string[] {
  if (text === '' && !existsSync(dirname(path)))
    return [`${dirname(path)} does not exist. ${title} might not be installed.`];
  if (format !== 'json' || comments || !hasComments(text)) return [];
  return [`${path} contains comments or trailing commas, which ${title} might not accept.`];
}

/** Timestamp for a file name, for example `20261126T090312Z`. */
const timestamp = (now: Date): string => now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
