import type { Command, CommandGroup, Commands, Option, Program } from './command.ts';
import { optionTable, visibleOptions } from './option-table.ts';
import { greatest } from '#core/numbers/extremes.ts';

export function programHelp(program: Program): string {
  return overview(program, program.title, [], program.commands);
}

export function groupHelp(program: Program, words: readonly string[], group: CommandGroup): string {
  return overview(program, group.summary, words, group.commands);
}

function overview(program: Program, title: string, words: readonly string[], commands: Commands): string {
  const name = [program.name, ...words].join(' ');
  const rows = Object.entries(commands).map(([command, { summary }]): Row => [command, summary]);
  return [
    title,
    '',
    `Usage: ${name} <command> [options]`,
    '',
    'Commands:',
    ...columns(rows),
    ...section('Global options:', optionRows(program.options ?? {})),
    '',
    `Run \`${name} <command> --help\` for details.`,
  ].join('\n');
}

export function commandHelp(program: Program, name: string, command: Command): string {
  const own = optionRows(command.options);
  const all = Object.entries(optionTable(command.options, program.options).options);
  const shared = optionRows(Object.fromEntries(all.filter(([option]) => !(option in command.options))));
  const positionals = command.positionals ? ` ${command.positionals}` : '';
  const hasOptions = own.length + shared.length > 0;
  return [
    command.summary,
    '',
    `Usage: ${program.name} ${name}${positionals}${hasOptions ? ' [options]' : ''}`,
    ...section('Options:', own),
    ...section('Global options:', shared),
  ].join('\n');
}

type Row = readonly [left: string, right: string];

const optionRows = (options: Readonly<Record<string, Option>>): Row[] =>
  Object.entries(visibleOptions(options)).map(([name, option]): Row => [
    flags(name, option),
    explain(option),
  ]);

const section = (title: string, rows: readonly Row[]): string[] =>
  rows.length === 0 ? [] : ['', title, ...columns(rows)];

function flags(name: string, { short, value }: Option): string {
  return `${short ? `-${short}, ` : '    '}--${name}${value === undefined ? '' : ` <${value}>`}`;
}

function explain({ help, choices, fallback, defaultText = fallback, env, repeatable }: Option): string {
  const notes = [
    choices && `one of ${choices.join(', ')}`,
    repeatable && 'repeatable',
    defaultText !== undefined && `default: ${defaultText}`,
    env && `env: ${env}`,
  ].filter(Boolean);
  return notes.length === 0 ? help : `${help} (${notes.join('; ')})`;
}

function columns(rows: readonly Row[]): string[] {
  const width = greatest(rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
