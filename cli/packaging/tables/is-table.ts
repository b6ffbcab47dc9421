import { exportFacts } from '../exports/model-kind.ts';
import type { ModelListing } from '../model/model-listing.ts';

/**
 * Whether a model is static: it has a table with one vector per token instead of an encoder. model2vec
 * and sentence-transformers save such models.
 */
export const isTable = ({ config, modules }: Pick<ModelListing, 'config' | 'modules'>): boolean =>
  exportFacts(config, modules).kind === 'table';
