import { DEFAULTS } from './defaults.ts';
import type { CorsSettings } from './spec.ts';

/** What was written down of it; the rest has its default. */
interface WrittenCors {
  readonly origins: readonly string[];
  readonly methods: readonly string[] | undefined;
  readonly headers: readonly string[] | undefined;
  readonly exposedHeaders: readonly string[] | undefined;
  readonly credentials: boolean | undefined;
  readonly maxAgeMs: number | undefined;
}

/** The pages that may call, whether the file or the command line says so. */
export const corsSettings = ({ origins, credentials = false, ...written }: WrittenCors): CorsSettings => ({
  origins,
  methods: written.methods ?? DEFAULTS.corsMethods,
  headers: written.headers ?? DEFAULTS.corsHeaders,
  exposedHeaders: written.exposedHeaders ?? [],
  // Browsers refuse credentials together with `*`.
  credentials: credentials && !origins.includes('*'),
  maxAgeSeconds: Math.floor((written.maxAgeMs ?? DEFAULTS.corsMaxAge) / 1000),
});
