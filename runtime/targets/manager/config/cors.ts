import { MANAGER_DEFAULTS } from './defaults.ts';
import type { CorsSettings } from './spec.ts';

/** CORS settings from the file or the command line; defaults apply to undefined values. */
interface CorsInput {
  readonly origins: readonly string[];
  readonly methods: readonly string[] | undefined;
  readonly headers: readonly string[] | undefined;
  readonly exposedHeaders: readonly string[] | undefined;
  readonly credentials: boolean | undefined;
  readonly maxAgeMs: number | undefined;
}

/** Fills in default CORS settings. */
export const corsSettings = ({ origins, credentials = false, ...input }: CorsInput): CorsSettings => ({
  origins,
  methods: input.methods ?? MANAGER_DEFAULTS.corsMethods,
  headers: input.headers ?? MANAGER_DEFAULTS.corsHeaders,
  exposedHeaders: input.exposedHeaders ?? [],
  // Browsers reject credentials combined with `*`.
  credentials: credentials && !origins.includes('*'),
  maxAgeSeconds: Math.floor((input.maxAgeMs ?? MANAGER_DEFAULTS.corsMaxAge) / 1000),
});
