import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '#serve/cli/command.ts';
import { runProgram } from '#serve/cli/run.ts';
import { SERVER_CONFIG_COMMANDS } from '#manager/commands/config-commands.ts';
import { CONFIG_OPTIONS } from '#manager/commands/config-options.ts';

const PROGRAM: Program = {
  name: 'mcp-manager',
  title: '',
  commands: SERVER_CONFIG_COMMANDS,
  options: CONFIG_OPTIONS,
};

/** A configuration with a container and a remote server. */
export const SERVERS = `# ours
[[servers]]
name = "a" # the first
package = "docker::x@1"
tools = ["one"]
[servers.volumes.work]
path = "/work"

[[servers]]
name = "far"
url = "https://x.example"
tools = ["*"]
`;

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs commands on the two files of a folder. */
export function workplace(folder: string) {
  const path = (name: string): string => join(folder, name);
  return {
    path,
    write: (name: string, text: string) => writeFileSync(path(name), text, { mode: 0o600 }),
    read: (name: string): string => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : ''),
    run: async (...args: string[]): Promise<Said> => {
      const files = ['--config-file', path('.mcpd.toml'), '--runtime-file', path('secrets.toml')];
      let [out, err] = ['', ''];
      const code = await runProgram(PROGRAM, [...files, ...args], {
        out: (text) => void (out += text),
        err: (text) => void (err += text),
      });
      return { code, out, err: err.replaceAll(`${folder}/`, '') };
    },
  };
}
