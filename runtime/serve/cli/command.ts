import type { InheritedName, Origin } from '#core/cli/common-flags.ts';

/** One option of a command. Its value comes from the flag, then from `env`, then from `fallback`. */
export interface Option {
  readonly short?: string;
  /** Placeholder for the value in help. Without it, the option is a boolean switch. */
  readonly value?: string;
  readonly help: string;
  readonly env?: string;
  readonly fallback?: string;
  /** Description of a computed default, for help. */
  readonly defaultText?: string;
  /** The allowed values. */
  readonly choices?: readonly string[];
  /** Aliases of the option. Help and completion do not show them. */
  readonly aliases?: readonly InheritedName[] | undefined;
  /**
   * The earlier program for whose scripts the option exists. If set, help and completion do not
   * show the option.
   */
  readonly origin?: Origin;
  /** Whether the option can be repeated. `Invocation.values` then returns all values. */
  readonly repeatable?: boolean;
  /**
   * Whether an empty value is valid, for example to disable a feature. Otherwise, empty values are
   * rejected.
   */
  readonly canBeEmpty?: boolean;
}

export interface Invocation {
  readonly positionals: readonly string[];
  /** Positional arguments after `--`; undefined if there is no `--`. */
  readonly afterDashes: readonly string[] | undefined;
  /**
   * Returns the value of an option. For a switch, it is `true` or undefined. If the option is
   * repeated, the last value wins.
   */
  value(name: string): string | undefined;
  /** Returns all values of a repeatable option, in order. */
  values(name: string): readonly string[];
  flag(name: string): boolean;
  /** Whether the option is on the command line. */
  given(name: string): boolean;
  /** Where the option's value comes from, for messages: the flag as typed, or the name of the variable. */
  source(name: string): string;
}

/** The output of a command. It is written synchronously. */
export interface Output {
  /** Writes results to stdout. */
  readonly out: (text: string) => void;
  /** Writes messages for the user to stderr. */
  readonly err: (text: string) => void;
}

/** A command of an executable. Targets declare commands as data; parsing and help are shared. */
export interface Command {
  readonly summary: string;
  /**
   * Positional arguments as help shows them, for example `<INPUTS>...`; undefined if the command
   * does not accept any.
   */
  readonly positionals?: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Runs the command; resolves with the exit code. */
  run(invocation: Invocation, output: Output, program: Program): Promise<number>;
}

/** Commands that share their first word. */
export interface CommandGroup {
  readonly summary: string;
  readonly commands: Commands;
}

export type Commands = Readonly<Record<string, Command | CommandGroup>>;

export interface Program {
  /** The name that the user typed to start the program. */
  readonly name: string;
  readonly title: string;
  readonly commands: Commands;
  /** Options that every command accepts. They can also precede the name of the command. */
  readonly options?: Readonly<Record<string, Option>>;
  /**
   * An additional sentence for a first word that resembles no command; undefined if there is
   * nothing to add.
   */
  readonly explainUnknown?: (word: string) => string | undefined;
}

export const isGroup = (entry: Command | CommandGroup): entry is CommandGroup => 'commands' in entry;

/** The command line is invalid; the exit code is 2. */
export class UsageError extends Error {}
