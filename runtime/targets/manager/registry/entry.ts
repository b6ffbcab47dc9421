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
}

/** A server that runs somewhere else. */
export interface RemoteEndpoint {
  readonly url: string;
  readonly transport: 'http' | 'sse';
  /** Names of headers that the user has to set. */
  readonly headers: readonly string[];
}

export const ARGUMENT_TYPES = ['environment', 'argument', 'argument_bool', 'argument_positional'] as const;

/** An argument or environment variable that the user of a server sets. */
export interface RegistryArgument {
  readonly name: string;
  readonly type: (typeof ARGUMENT_TYPES)[number];
  readonly required: boolean;
  readonly description: string;
}
