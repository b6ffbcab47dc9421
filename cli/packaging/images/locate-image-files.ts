import { configError } from '#contract/errors.ts';
import type { ModelSource } from '../../config/build-config.ts';
import { type FoundFiles, locateGraph, type SettingsFile } from '../model/locate-files.ts';

/** Finds the files of a model that reads images, which has no tokenizer. */
export function locateImageFiles(model: ModelSource, settings: Partial<SettingsFile> = {}): FoundFiles {
  if (model.kind === 'folder') return locateGraph(model, settings);
  throw configError(
    '`path` is a mapping of files, but a model that reads images needs its folder, with the settings for images. Set `path` to the folder.',
  );
}
