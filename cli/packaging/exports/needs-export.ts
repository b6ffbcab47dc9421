import { AppError, configError } from '#contract/errors.ts';
import { exportWay, type ExportSource, noWay } from './export-way.ts';
import type { ExportFacts } from './model-kind.ts';

const NEEDS_EXPORT = 'needs_export';

/**
 * The error for a model setting that is not supported when a graph is written from safetensors.
 * `withExportWay` adds the export commands, because only the build knows where the model is.
 */
export const needsExport = (problem: string): AppError =>
  new AppError('ConfigError', problem, { reason: NEEDS_EXPORT });

/**
 * Adds the commands that export the model to an error from `needsExport`; returns any other error
 * unchanged.
 */
export function withExportWay(error: unknown, facts: ExportFacts, source: ExportSource): unknown {
  if (!(error instanceof AppError) || error.reason !== NEEDS_EXPORT) return error;
  const way = noWay(facts) === undefined ? exportWay(facts, source) : 'Choose another model.';
  return configError(`${error.message} ${way}`, error);
}
