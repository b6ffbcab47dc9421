import { parseArgs } from 'node:util';
import { messageOf } from '../../contract/errors.ts';
import { type Command, type Invocation, type Option, UsageError } from './command.ts';

/** Reads a command's arguments. Precedence: flag, environment, default. */
export function parseInvocation(
  command: Command,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Invocation {
  const { values, positionals } = parse(command, args);
  if (positionals.length > 0 && !command.positionals) {
    throw new UsageError(`Unexpected argument ${JSON.stringify(positionals[0])}.`);
  }
  const value = (name: string): string | undefined => {
    const option = command.options[name];
    if (!option) throw new Error(`no option ${name}`);
    const given = values[name];
    if (given !== undefined) return String(given);
    return (option.env && env[option.env]) || option.fallback;
  };
  for (const [name, option] of Object.entries(command.options)) checkChoice(name, option, value(name));
  return { positionals, value, flag: (name) => SWITCH_ON.includes(value(name) ?? '') };
}

const SWITCH_ON = ['true', '1'];
const SWITCH_VALUES = [...SWITCH_ON, 'false', '0'];

function parse(
  command: Command,
  args: readonly string[],
): { values: Record<string, string | boolean | undefined>; positionals: string[] } {
  const options = Object.entries(command.options).map(([name, { short, value }]) => [
    name,
    { type: value === undefined ? 'boolean' : 'string', ...(short ? { short } : {}) },
  ]);
  try {
    return parseArgs({
      args: plainSwitches(command, args),
      allowPositionals: true,
      options: { ...(Object.fromEntries(options) as object), help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    // Node explains how to pass a text that starts with a dash; its first sentence names the flag.
    throw new UsageError(messageOf(error));
  }
}

/** `--switch=true` is `--switch`; `--switch=false` is as if it was left out. */
function plainSwitches(command: Command, args: readonly string[]): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const plain = args.slice(0, end).flatMap((arg) => {
    const [, name = '', value = ''] = /^--([\w-]+)=(.*)$/.exec(arg) ?? [];
    const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
    if (!option || option.value !== undefined || !SWITCH_VALUES.includes(value)) return [arg];
    return SWITCH_ON.includes(value) ? [`--${name}`] : [];
  });
  return [...plain, ...args.slice(end)];
}

function checkChoice(name: string, option: Option, value: string | undefined): void {
  const { env } = option;
  const choices = option.choices ?? (option.value === undefined ? SWITCH_VALUES : undefined);
  if (!choices || value === undefined || choices.includes(value)) return;
  throw new UsageError(
    `--${name}${env ? ` (${env})` : ''}: ${JSON.stringify(value)} is not one of ${choices.join(', ')}.`,
  );
}
