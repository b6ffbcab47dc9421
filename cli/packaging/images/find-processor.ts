import { findIn } from '../model/locate-files.ts';

/** The names of the files with the settings for images. Newer versions of transformers write the second one. */
export const PROCESSOR_FILES = ['preprocessor_config.json', 'processor_config.json'] as const;

/** The path of a model's settings for images; undefined if it has none. */
export const findProcessor = (folder: string): string | undefined =>
  PROCESSOR_FILES.map((name) => findIn(folder, name)).find((path) => path !== undefined);
