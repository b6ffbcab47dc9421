import { AppError, configError } from '#contract/errors.ts';
import { exportWay, type ExportSource, noWay } from './export-way.ts';
import type { ExportFacts } from './model-kind.ts';

const NEEDS_EXPORT = 'needs_export';

/** A setting of a model for which no graph is written from safetensors. Only the build knows the model's place, and adds the way out. */
export const needsExport = (problem: string): AppError =>
  new AppError('ConfigError', problem, { reason: NEEDS_EXPORT });

/** The error with the commands that export this model, if an export is the way out; any other error as it is. */
export function withExportWay(error: unknown, facts: ExportFacts, source: ExportSource): unknown {
  if (!(error instanceof AppError) || error.reason !== NEEDS_EXPORT) return error;
  const way = noWay(facts) === undefined ? exportWay(facts, source) : 'Choose another model.';
  return configError(`${error.message} ${way}`, error);
}
