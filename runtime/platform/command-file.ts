import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { configError } from '#contract/errors.ts';

/** How a program is started: its command, and where it is searched. */
export interface CommandLookup {
  readonly command: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string | undefined;
}

/** The arguments of `spawn` and `execFile` for a command. */
export interface Spawnable {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether Windows gets the arguments as they are, because they are quoted already. */
  readonly windowsVerbatimArguments?: true;
}

/** Extensions that can be omitted on Windows, in the order in which they are searched. */
const EXTENSIONS = ['.com', '.exe', '.cmd', '.bat'];

/** Finds the file that a command starts, as the system does; undefined if there is none. */
export function findCommandFile(
  { command, env, cwd = process.cwd() }: CommandLookup,
  isWindows = process.platform === 'win32',
): string | undefined {
  const names = isWindows && !hasExtension(command) ? EXTENSIONS.map((one) => command + one) : [command];
  const search = (folder: string): string | undefined =>
    names.map((name) => resolve(folder, name)).find(isRunnable);
  if (isAbsolute(command) || /[\\/]/.test(command)) return search(cwd);
  const folders = (variableOf(env, 'PATH', isWindows) ?? '').split(isWindows ? ';' : ':');
  for (const folder of folders.filter((one) => one !== '')) {
    const found = search(isWindows ? withoutQuotes(folder) : folder);
    if (found !== undefined) return found;
  }
  return undefined;
}

const hasExtension = (command: string): boolean =>
  EXTENSIONS.some((extension) => command.toLowerCase().endsWith(extension));

/** Installers of Windows write folders with a semicolon in quotation marks. */
const withoutQuotes = (folder: string): string => folder.replaceAll('"', '');

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The value of a variable, whose name has no case on Windows (`Path`). */
export function variableOf(
  env: CommandLookup['env'],
  name: string,
  isWindows = process.platform === 'win32',
): string | undefined {
  if (!isWindows || env[name] !== undefined) return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

/**
 * How to start a command without a shell. On Windows, Node finds only programs with the extension .exe or .com, and starts
 * no batch files, such as npx.cmd: these need cmd.exe, which gets arguments that it passes on unchanged.
 */
export function spawnable(
  lookup: CommandLookup,
  args: readonly string[],
  isWindows = process.platform === 'win32',
): Spawnable {
  const { command, env } = lookup;
  const found = isWindows ? findCommandFile(lookup, true) : undefined;
  // If there is none, the error of the system names the command.
  if (found === undefined) return { file: command, args };
  if (!/\.(?:cmd|bat)$/i.test(found)) return { file: found, args };
  const line = [found, ...args].map((arg) => quoteForBatch(arg, command)).join(' ');
  const shell = join(variableOf(env, 'SYSTEMROOT', true) ?? String.raw`C:\Windows`, 'System32', 'cmd.exe');
  // Extensions are on, because the quoting requires them, and delayed expansion (!) is off. /d ignores programs that the
  // registry starts with each shell, and /s removes only the outer quotation marks. With /q, lines of a batch file that does
  // not turn `echo` off are not printed, which would be part of an MCP server's output.
  return {
    file: shell,
    args: ['/q', '/e:on', '/v:off', '/d', '/s', '/c', `"${line}"`],
    windowsVerbatimArguments: true,
  };
}

/**
 * Quotes an argument for a batch file that passes it on to a program (`%*`). Between quotation marks, cmd.exe changes only
 * `%`: `%cd:~,%` is replaced with nothing, after which a percent sign in front of it has no meaning. A quotation mark is
 * doubled, so that their number stays even for cmd.exe, and programs read one. Programs read backslashes in pairs before one.
 */
function quoteForBatch(arg: string, command: string): string {
  if (/[\0\r\n]/.test(arg))
    throw configError(
      `Cannot start \`${command}\`: it is a batch file, and an argument contains a line break, which Windows cannot pass to it. Remove the line break.`,
    );
  let quoted = '';
  let backslashes = 0;
  for (const character of arg) {
    quoted += character === '"' ? `${'\\'.repeat(backslashes)}""` : character;
    backslashes = character === '\\' ? backslashes + 1 : 0;
  }
  quoted += '\\'.repeat(backslashes);
  return `"${quoted.replaceAll('%', '%%cd:~,%')}"`;
}
