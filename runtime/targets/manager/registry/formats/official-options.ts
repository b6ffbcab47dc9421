import type { PackageRuntime } from '../../config/package-launch.ts';
import { isTable, type TableReader } from '../../config/table-reader.ts';
import { plain } from './format.ts';
import { isSamePackage, readRuntimeOptions, type RuntimeOptions, takesValue } from './runtime-options.ts';

export interface OptionsSource {
  readonly runtime: PackageRuntime;
  /** The program that the registry recommends for the package. */
  readonly hint: string;
  readonly identifier: string;
  readonly isRequired: (argument: TableReader) => boolean;
}

/** The options of a package; `unsupported` has those that the server does not require. */
export type PackageOptions = RuntimeOptions & { readonly program: string };

/** Reads the arguments for the program that runs a package; returns a text if a required one is not supported. */
export function readPackageOptions(
  list: readonly TableReader[],
  { runtime, hint, identifier, isRequired }: OptionsSource,
): PackageOptions | string {
  const words = list.flatMap((argument) => wordsOf(argument, runtime, isRequired(argument)));
  const program = hint === '' || hint === 'podman' ? runtime : hint;
  // Options of another program do not apply, because the package is not run by it.
  if (program !== runtime) return { ...readRuntimeOptions(runtime, []), program, unsupported: words };
  const read = readRuntimeOptions(runtime, words, identifier);
  const isOther =
    read.bin === undefined && read.package !== undefined && !isSamePackage(read.package, identifier);
  const unsupported = isOther ? [...read.unsupported, read.package, ...read.rest] : read.unsupported;
  const required = list.filter(isRequired).flatMap((argument) => wordsOf(argument, runtime, true));
  const needed = unsupported.filter((text) => required.some((word) => text.split(' ').includes(word)));
  if (needed.length > 0)
    return `its package needs options of ${program} that are not supported: ${needed.join(', ')}.`;
  return { ...read, rest: isOther ? [] : read.rest, program, unsupported };
}

function wordsOf(argument: TableReader, runtime: PackageRuntime, isRequired: boolean): string[] {
  const value = withDefaults(argument);
  if (argument.any('type') !== 'named') return value === '' ? [] : [value];
  const name = plain(argument.any('name'));
  if (value !== '') return [`${name}=${value}`];
  // An optional value that the user did not choose.
  return takesValue(runtime, name) && !isRequired ? [] : [name];
}

/** Replaces the variables of a value that have a default. */
function withDefaults(argument: TableReader): string {
  const variables = argument.any('variables');
  const value = plain(argument.any('value')) || plain(argument.any('default'));
  return value.replaceAll(/\{(\w+)\}/g, (written, name: string) => {
    const variable = isTable(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    return (isTable(variable) && plain(variable['default'])) || written;
  });
}
