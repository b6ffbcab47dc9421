import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'smol-toml';
import { parseInvocation } from '#serve/cli/parse.ts';
import { newKey } from '#manager/access/new-key.ts';
import { addKey, type KeyRecord } from '#manager/access/key-file.ts';
import { daemonCommand } from '#manager/commands/daemon.ts';
import { readDaemonSettings } from '#manager/servers/settings.ts';
import { startManager } from '#manager/servers/start-manager.ts';
import { type Answer, readAnswer } from './open-api.ts';

export interface ManagerWithFiles {
  readonly url: string;
  /** Keys with different permissions. */
  readonly keys: Readonly<Record<'editor' | 'admin' | 'reader' | 'limited' | 'user', string>>;
  readonly read: (file: string) => string;
  readonly path: (file: string) => string;
  /** Sends a request with the editor's key or another one. */
  readonly send: (method: string, path: string, body?: unknown, key?: string) => Promise<Answer>;
  readonly get: (path: string, key?: string) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

const NOW = Date.UTC(2026, 0, 1);
const SCOPE = { servers: [], tools: [], readOnly: false, created: '2026-01-01T00:00:00.000Z' };

/** The TOML of a server that runs one of `fixtures/mcp-servers`. */
export const serverToml = (name: string, fixture: string, more: object = {}): string =>
  stringify({
    servers: [
      {
        name,
        command: process.execPath,
        args: [fileURLToPath(new URL(`../../../../../fixtures/mcp-servers/${fixture}.mjs`, import.meta.url))],
        tools: ['*'],
        ...more,
      },
    ],
  });

/** Starts the manager in this process, with a configuration, keys and an audit log in its own folder. */
export async function startWithFiles(config: string): Promise<ManagerWithFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
  const path = (file: string): string => join(folder, file);
  writeFileSync(path('.mcpd.toml'), config);
  const keyOf = async (
    name: string,
    permissions: Pick<KeyRecord, 'admin' | 'adminReadOnly' | 'edit'> & Partial<Pick<KeyRecord, 'servers'>>,
  ): Promise<string> => {
    const { key, record } = newKey({ ...SCOPE, name, ...permissions });
    await addKey(path('keys.jsonl'), record, NOW);
    return key;
  };
  const keys = {
    editor: await keyOf('editor', { admin: true, edit: true }),
    admin: await keyOf('admin', { admin: true }),
    reader: await keyOf('reader', { admin: true, adminReadOnly: true, edit: true }),
    limited: await keyOf('limited', { admin: true, edit: true, servers: ['echo'] }),
    user: await keyOf('user', { admin: false }),
  };
  const flags = ['--config-file', path('.mcpd.toml'), '--runtime-file', path('secrets.toml')];
  const args = [...flags, '--port', '0', '--no-watch', '--audit-log', path('audit.jsonl')];
  const settings = readDaemonSettings(parseInvocation(daemonCommand, args, {}), { HOME: folder });
  const { url, stop } = await startManager(settings, () => undefined);
  const send: ManagerWithFiles['send'] = async (method, at, body, key = keys.editor) =>
    readAnswer(
      await fetch(url + at, {
        method,
        headers: {
          ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  return {
    url,
    keys,
    path,
    read: (file) => readFileSync(path(file), 'utf8'),
    send,
    get: (at, key) => send('GET', at, undefined, key),
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
