/** Another name of an option, such as its name in earlier versions. It works, but help and completion do not show it. */
interface OptionAlias {
  /** Left out where only the variable had another name. */
  readonly name?: string;
  readonly env?: string;
}

/** One option of a command. Its value comes from the flag, else from `env`, else it is `fallback`. */
export interface Option {
  readonly short?: string;
  /** What to call the value in help; without it the option is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly env?: string;
  readonly fallback?: string;
  /** Description of a default that is computed, for help. */
  readonly defaultText?: string;
  /** The only values allowed. */
  readonly choices?: readonly string[];
  /** Other words for choices, such as `off` for `silent`. They work, but help and completion do not show them. */
  readonly choiceAliases?: Readonly<Record<string, string>>;
  readonly aliases?: readonly OptionAlias[] | undefined;
  /** Whether help and completion leave it out. */
  readonly hidden?: boolean;
  /** May be given several times; `Invocation.values` has them all. */
  readonly repeatable?: boolean;
  /** Whether the empty text means something, as that there is to be none; else it is refused. */
  readonly mayBeEmpty?: boolean;
}

export interface Invocation {
  readonly positionals: readonly string[];
  /** Those of the positionals that stand after `--`; undefined without a `--`. */
  readonly afterDashes: readonly string[] | undefined;
  /** The option's text; a switch has `true` or nothing. Of an option given several times the last one counts. */
  value(name: string): string | undefined;
  /** All texts of an option that may be given several times, in their order. */
  values(name: string): readonly string[];
  flag(name: string): boolean;
  /** Whether the option is on the command line. */
  given(name: string): boolean;
  /** Where the option's value comes from, for messages about it: the flag as typed, or the name of the variable. */
  source(name: string): string;
}

/** Where a command writes; what is written is out when the call returns. */
export interface Output {
  /** Results only. */
  readonly out: (text: string) => void;
  /** Everything said to a person. */
  readonly err: (text: string) => void;
}

/** A command of an executable. Targets describe theirs as data; parsing and help are written once. */
export interface Command {
  readonly summary: string;
  /** What follows the command's name, as in `<INPUTS>...`; without it there are no positional arguments. */
  readonly positionals?: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Resolves with the exit code. */
  run(invocation: Invocation, output: Output, program: Program): Promise<number>;
}

/** Commands that share their first words. */
export interface CommandGroup {
  readonly summary: string;
  readonly commands: Commands;
}

export type Commands = Readonly<Record<string, Command | CommandGroup>>;

export interface Program {
  /** What the user typed to start it. */
  readonly name: string;
  readonly title: string;
  readonly commands: Commands;
  /** Options of every command, which may also stand before its name. */
  readonly options?: Readonly<Record<string, Option>>;
}

export const isGroup = (entry: Command | CommandGroup): entry is CommandGroup => 'commands' in entry;

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {}
