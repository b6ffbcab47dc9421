import type { PackageRuntime } from '../config/package-launch.ts';

/** A server in a registry. */
export interface RegistryEntry {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly license: string;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly isOfficial: boolean;
  readonly deprecated: boolean;
  /** Names of its tools. */
  readonly tools: readonly string[];
  readonly installations: readonly Installation[];
  readonly remotes: readonly RemoteEndpoint[];
  readonly arguments: readonly RegistryArgument[];
  /** Path or URL of the registry that lists the server, or `built-in`. */
  readonly source: string;
}

export interface Installation {
  readonly runtime: PackageRuntime;
  readonly package: string;
  readonly version: string;
  readonly recommended: boolean;
  /** Arguments that the server always needs, with `${NAME}` for variables. */
  readonly args: readonly string[];
  /** Folders of a container that need a folder of this machine, by the name of the volume. */
  readonly volumes: Readonly<Record<string, string>>;
  /** The program of the package, if it is not the one with the name of the package. */
  readonly bin?: string | undefined;
  /** Further requirements of a uvx package. */
  readonly with?: readonly string[] | undefined;
  /** Variables that the server always needs, with their values. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What this installation needs, if it is not what the others need. */
  readonly arguments?: readonly RegistryArgument[] | undefined;
  /** Options of a program such as npx that the registry lists, and that are not used. */
  readonly ignored?: { readonly program: string; readonly options: readonly string[] } | undefined;
}

/** A server that runs somewhere else. */
export interface RemoteEndpoint {
  /** With `{name}` for its variables. */
  readonly url: string;
  readonly transport: 'http' | 'sse';
  /** Names of headers that the user must set. */
  readonly headers: readonly string[];
  /** Forms of these headers that the registry lists, such as `Bearer <token>`. */
  readonly headerForms?: Readonly<Record<string, string>> | undefined;
  /** Headers with the values of the registry. */
  readonly fixedHeaders?: Readonly<Record<string, string>> | undefined;
  readonly variables: readonly UrlVariable[];
}

/** A variable in the URL of a server. */
export interface UrlVariable {
  readonly name: string;
  readonly description: string;
  readonly default?: string | undefined;
  /** The possible values; empty if all are. */
  readonly choices: readonly string[];
  readonly isSecret: boolean;
}

export const ARGUMENT_TYPES = ['environment', 'argument', 'argument_bool', 'argument_positional'] as const;

/** An argument or environment variable that the user of a server sets. */
export interface RegistryArgument {
  readonly name: string;
  readonly type: (typeof ARGUMENT_TYPES)[number];
  readonly required: boolean;
  readonly description: string;
}
