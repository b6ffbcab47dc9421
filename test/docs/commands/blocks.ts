import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../helpers/paths.ts';

/** A command on a page, and the documented output. */
export interface Command {
  readonly command: string;
  readonly output: string;
}

/** A code block with shell commands. */
export interface ShellBlock {
  readonly page: string;
  /** The nearest heading above the block. */
  readonly section: string;
  readonly line: number;
  /** Whether the block has a prompt, so that output can follow the commands. */
  readonly hasPrompt: boolean;
  readonly commands: readonly Command[];
}

const PROGRAMS =
  /^(?:\$ |\.\/|(?:npx|npm|encoderfile|mcp-manager|gateway|curl|docker|podman|pip|python|sh|cp|cd|export|kubectl|helm|install|optimum-cli|grpcurl|skopeo|for|node)\b)/;
const SHELL_FENCE = /^```(?:console|sh|bash)$/;

/** Pages with commands: the README and the pages of docs and docs/how-to. */
export const pagesWithCommands = (): string[] => [
  'README.md',
  ...['docs', 'docs/how-to'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

export function shellBlocksOf(page: string): ShellBlock[] {
  return blocksIn(readFileSync(join(ROOT, page), 'utf8'))
    .filter(({ lines, fence }) => SHELL_FENCE.test(fence) || (fence === '' && PROGRAMS.test(lines[0] ?? '')))
    .map(({ section, line, lines }) => {
      const hasPrompt = lines.some((one) => one.startsWith('$ '));
      return { page, section, line, hasPrompt, commands: hasPrompt ? commandsIn(lines) : [] };
    });
}

interface Block {
  readonly section: string;
  readonly line: number;
  readonly fence: string;
  readonly lines: string[];
}

/** Fenced code blocks, and blocks indented by four spaces after an empty line. */
function blocksIn(text: string): Block[] {
  const blocks: Block[] = [];
  let section = '';
  let open: Block | undefined;
  let previous = '';
  for (const [index, line] of text.split('\n').entries()) {
    if (open !== undefined && open.fence !== '') {
      if (line === '```') open = undefined;
      else open.lines.push(line);
    } else if (line.startsWith('```')) {
      open = { section, line: index + 1, fence: line, lines: [] };
      blocks.push(open);
    } else if (line.startsWith('    ') && (open !== undefined || previous === '')) {
      if (open === undefined) blocks.push((open = { section, line: index + 1, fence: '', lines: [] }));
      open.lines.push(line.slice(4));
    } else if (line === '' && open !== undefined) {
      open.lines.push('');
    } else {
      open = undefined;
      section = /^#+ (.*)$/.exec(line)?.[1] ?? section;
    }
    previous = line;
  }
  return blocks;
}

/** Splits a session: a command starts with `$ ` and can have several lines; its output follows. */
function commandsIn(lines: readonly string[]): Command[] {
  const commands: { command: string; output: string[] }[] = [];
  let isOpen = false;
  for (const line of lines) {
    const last = commands.at(-1);
    if (isOpen && last !== undefined) last.command += `\n${line}`;
    else if (line.startsWith('$ ')) commands.push({ command: line.slice(2), output: [] });
    else last?.output.push(line);
    const text = commands.at(-1)?.command ?? '';
    isOpen = last !== commands.at(-1) || isOpen ? isUnfinished(text) : false;
  }
  return commands.map(({ command, output }) => ({ command, output: output.join('\n').trim() }));
}

const isUnfinished = (command: string): boolean =>
  command.endsWith('\\') || command.replaceAll(/[^']/g, '').length % 2 === 1;
