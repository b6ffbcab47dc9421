import type { Command, Option, Program } from './command.ts';

export function programHelp(program: Program): string {
  const rows = Object.entries(program.commands).map(([name, { summary }]): Row => [name, summary]);
  return [
    program.title,
    '',
    `Usage: ${program.name} <command> [options]`,
    '',
    'Commands:',
    ...columns(rows),
    '',
    `\`${program.name} <command> --help\` tells more of a command.`,
  ].join('\n');
}

export function commandHelp(program: Program, name: string, command: Command): string {
  const rows = Object.entries(command.options).map(([option, spec]): Row => [
    flags(option, spec),
    explain(spec),
  ]);
  const positionals = command.positionals ? ` ${command.positionals}` : '';
  return [
    command.summary,
    '',
    `Usage: ${program.name} ${name}${positionals}${rows.length > 0 ? ' [options]' : ''}`,
    ...(rows.length > 0 ? ['', 'Options:', ...columns(rows)] : []),
  ].join('\n');
}

type Row = readonly [left: string, right: string];

function flags(name: string, { short, value }: Option): string {
  return `${short ? `-${short}, ` : '    '}--${name}${value === undefined ? '' : ` <${value}>`}`;
}

function explain({ help, choices, fallback, env }: Option): string {
  const notes = [
    choices && `one of ${choices.join(', ')}`,
    fallback !== undefined && `default ${fallback}`,
    env && `env ${env}`,
  ].filter(Boolean);
  return notes.length === 0 ? help : `${help} (${notes.join('; ')})`;
}

function columns(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
