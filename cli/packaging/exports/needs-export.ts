import { AppError, configError } from '#contract/errors.ts';
import { exportWay, type ExportSource, noWay } from './export-way.ts';
import type { ExportFacts } from './model-kind.ts';

const NEEDS_EXPORT = 'needs_export';

/**
 * The error for a model setting that a graph written from safetensors cannot have. Only the build
 * knows where the model is, so it adds the way out.
 */
export const needsExport = (problem: string): AppError =>
  new AppError('ConfigError', problem, { reason: NEEDS_EXPORT });

/**
 * Adds the commands that export this model, if an export is the way out; returns any other error
 * unchanged.
 */
export function withExportWay(error: unknown, facts: ExportFacts, source: ExportSource): unknown {
  if (!(error instanceof AppError) || error.reason !== NEEDS_EXPORT) return error;
  const way = noWay(facts) === undefined ? exportWay(facts, source) : 'Choose another model.';
  return configError(`${error.message} ${way}`, error);
}
