import { messageOf } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { withFileLock } from '#platform/files/file-lock.ts';
import { writeText } from '#platform/files/write-text.ts';
import { readText } from '#platform/read-text.ts';
import { AppError } from '#contract/errors.ts';

/** Definitions that a person released although a rule found something in them, by server and item. */
export interface Releases {
  /** Whether an item was released with this definition. */
  has(server: string, item: string, hash: string): boolean;
  add(server: string, item: string, hash: string): Promise<void>;
  /** Reads the file again. */
  refresh(): Promise<void>;
}

/** The key of an item in the file. */
export const releaseKey = (kind: string, name: string): string => `${kind}:${name}`;

const FORMAT = 1;

/** Returns the path of the file: `.mcpd.releases.json` next to `.mcpd.toml`. */
export const releasesPath = (config: string): string =>
  `${config.replace(/\.(?:toml|json)$/i, '')}.releases.json`;

type Servers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Opens the file. A file that cannot be read releases nothing; `warn` receives the reason. */
export async function openReleases(path: string, warn: (text: string) => void): Promise<Releases> {
  let known: Servers = {};
  const refresh = async (): Promise<void> => {
    try {
      known = serversOf(await textOf(path));
    } catch (error) {
      known = {};
      warn(`released tools are held again, because ${path} cannot be read: ${messageOf(error)}`);
    }
  };
  await refresh();
  return {
    refresh,
    has: (server, item, hash) =>
      Object.hasOwn(known, server) &&
      Object.hasOwn(known[server] ?? {}, item) &&
      known[server]?.[item] === hash,
    add: (server, item, hash) =>
      withFileLock(path, async () => {
        const before = serversOf(await textOf(path));
        const items = { ...(Object.hasOwn(before, server) ? before[server] : {}), [item]: hash };
        const servers = { ...before, [server]: items };
        await writeText(path, `${JSON.stringify({ version: FORMAT, servers }, undefined, 2)}\n`);
        known = servers;
      }),
  };
}

const textOf = async (path: string): Promise<string | undefined> => (await readText(path))?.text;

function serversOf(text: string | undefined): Servers {
  if (text === undefined) return {};
  const { version, servers } = membersOf(parseJsonText(text));
  if (version === FORMAT && isObject(servers)) {
    return Object.fromEntries(
      Object.entries(servers).map(([name, items]) => [name, { ...membersOf(items) }]),
    );
  }
  throw new AppError('ConfigError', `it must have version ${FORMAT}`);
}
