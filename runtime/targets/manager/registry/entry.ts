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
  /** Tool names. */
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
  /** Arguments that the server always needs, with variables as `${NAME}`. */
  readonly args: readonly string[];
  /** Container folders that must be mapped to a local folder, by volume name. */
  readonly volumes: Readonly<Record<string, string>>;
  /** The package's program, if its name differs from the package name. */
  readonly bin?: string | undefined;
  /** Additional requirements of a uvx package. */
  readonly with?: readonly string[] | undefined;
  /** Environment variables that the server always needs, with their values. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The requirements of this installation, if they differ from the others'. */
  readonly arguments?: readonly RegistryArgument[] | undefined;
  /** Options listed for a runner such as npx that are not used. */
  readonly ignored?: { readonly program: string; readonly options: readonly string[] } | undefined;
}

/** A server that is hosted remotely. */
export interface RemoteEndpoint {
  /** Variables are written as `{name}`. */
  readonly url: string;
  readonly transport: 'http' | 'sse';
  /** Names of headers that the user must set. */
  readonly headers: readonly string[];
  /** Value formats that the registry lists for these headers, such as `Bearer <token>`. */
  readonly headerForms?: Readonly<Record<string, string>> | undefined;
  /** Headers with values from the registry. */
  readonly fixedHeaders?: Readonly<Record<string, string>> | undefined;
  readonly variables: readonly UrlVariable[];
}

/** A variable in a server URL. */
export interface UrlVariable {
  readonly name: string;
  readonly description: string;
  readonly default?: string | undefined;
  /** The allowed values; empty if any value is allowed. */
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
