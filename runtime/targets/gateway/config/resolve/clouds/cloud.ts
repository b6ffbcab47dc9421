import type { CloudSettings } from '../../../providers/adapters/cloud-settings.ts';
import type { ProviderEntry } from '../../schemas/providers.ts';
import type { Path, ResolveContext } from '../context.ts';

/** What the entry of a provider of a cloud comes to. */
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
  /** The URL of the entry, without the path that all requests have. */
  readonly written: string | undefined;
  /** The key of the entry. */
  readonly apiKey: string | undefined;
}

/** Resolves the entry of a cloud; undefined if it is invalid, which is reported. */
export type ResolveCloud = (entry: CloudEntry) => ResolvedCloud | undefined;
