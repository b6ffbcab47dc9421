import type { PackageRuntime } from '../config/package-launch.ts';

/** A server that a registry knows how to install. */
export interface RegistryEntry {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly license: string;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly isOfficial: boolean;
  readonly deprecated: boolean;
  /** Their names. */
  readonly tools: readonly string[];
  readonly installations: readonly Installation[];
  readonly arguments: readonly RegistryArgument[];
  /** The registry it is from. */
  readonly source: string;
}

export interface Installation {
  readonly runtime: PackageRuntime;
  readonly package: string;
  readonly version: string;
  readonly recommended: boolean;
}

export const ARGUMENT_TYPES = ['environment', 'argument', 'argument_bool', 'argument_positional'] as const;

/** What a server takes from whoever runs it. */
export interface RegistryArgument {
  readonly name: string;
  readonly type: (typeof ARGUMENT_TYPES)[number];
  readonly required: boolean;
  readonly description: string;
}
