import type { CloudSettings } from '../../../providers/adapters/cloud-settings.ts';
import type { ProviderEntry } from '../../schemas/providers.ts';
import type { Path, ResolveContext } from '../context.ts';

/** A resolved cloud provider entry. */
interface ResolvedCloud {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly cloud: CloudSettings;
  /** Secrets besides the key. */
  readonly secrets: readonly string[];
}

export interface CloudEntry {
  readonly context: ResolveContext;
  readonly path: Path;
  readonly entry: ProviderEntry;
  /** The entry's URL, without the path that all requests share. */
  readonly written: string | undefined;
  /** The entry's key. */
  readonly apiKey: string | undefined;
}

/** Resolves a cloud entry; undefined if invalid, which is reported. */
export type ResolveCloud = (entry: CloudEntry) => ResolvedCloud | undefined;
