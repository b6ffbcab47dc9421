/** One option of a command. Its value comes from the flag, else from `env`, else it is `fallback`. */
export interface Option {
  readonly short?: string;
  /** What to call the value in help; without it the option is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly env?: string;
  readonly fallback?: string;
  /** The only values allowed. */
  readonly choices?: readonly string[];
}

export interface Invocation {
  readonly positionals: readonly string[];
  /** The option's text; a switch has `true` or nothing. */
  value(name: string): string | undefined;
  flag(name: string): boolean;
  /** Whether the option is on the command line. */
  given(name: string): boolean;
  /** Where the option's value comes from, for messages about it: the flag, or the name of the variable. */
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
  run(invocation: Invocation, output: Output): Promise<number>;
}

export interface Program {
  /** What the user typed to start it. */
  readonly name: string;
  readonly title: string;
  readonly commands: Readonly<Record<string, Command>>;
}

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {}
