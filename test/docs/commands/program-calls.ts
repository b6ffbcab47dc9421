import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../helpers/paths.ts';
import { shellSegments } from './shell-segments.ts';

/** The programs whose command lines appear on pages; `encoder` is a model executable. */
type ProgramName = 'encoderfile' | 'encoder' | 'mcp-manager' | 'gateway';

/** A call to a program on a page, in a code block or between backquotes in a sentence. */
export interface ProgramCall {
  readonly program: ProgramName;
  readonly args: readonly string[];
}

const CODE = /^```(\w*)\n([^]*?)^```$|((?:^ {4}.*\n)+)|`([^`\n]+)`/gm;
const SHELLS = new Set(['', 'console', 'sh', 'bash']);
const PROGRAM = /^(?:[\w./~$-]*\/)?(?:(encoderfile|mcp-manager|gateway)|[\w-]+\.(encoder))$/;
const PREFIX = /^(?:npx|exec|\$|\w+=.*)$/;

export function callsIn(page: string): ProgramCall[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(CODE)].flatMap(([, language = '', fenced, indented, inline]) => {
    const code = SHELLS.has(language) ? (fenced ?? indented ?? inline ?? '') : '';
    return shellSegments(withoutPlaceholders(commandsOf(code))).flatMap(callOf);
  });
}

/** A code block without the output of its commands, if it has prompts. */
function commandsOf(block: string): string {
  if (!/^ *\$ /m.test(block)) return block;
  return [...block.matchAll(/^ *\$ (.*(?:\\\n.*)*)/gm)].map(([, command = '']) => command).join('\n');
}

/** `[--json]` and `…` are not arguments, and `<file>` is a placeholder. */
const withoutPlaceholders = (text: string): string =>
  text
    .replaceAll(/^ {4}/gm, '')
    .replaceAll(/ \[[^\]\n]*\]/g, '')
    .replaceAll(/<[\w ]+>(?:\.\.\.)?/g, 'value')
    .replaceAll(/(?<=^|\s)…(?=\s|$)/gm, '')
    .replaceAll(String.raw`\|`, '|');

function callOf(words: readonly string[]): ProgramCall[] {
  const [first = '', ...args] = words.slice(words.findIndex((word) => !PREFIX.test(word)));
  const [, name, model] = PROGRAM.exec(first) ?? [];
  const program = (name ?? model) as ProgramName | undefined;
  return program === undefined || args.length === 0 ? [] : [{ program, args }];
}
