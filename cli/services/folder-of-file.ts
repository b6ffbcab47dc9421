import { basename, dirname, join, relative } from 'node:path';
import { configError } from '#contract/errors.ts';
import { graphVariants } from '../packaging/model/graph-variants.ts';
import { GRAPH_FOLDERS, listModel } from '../packaging/model/model-listing.ts';

/** A model that is named by one of its files. */
export interface NamedFile {
  readonly folder: string;
  /** The graph, if the file is one; undefined for weights that are in several files, and for settings. */
  readonly variant: string | undefined;
}

/** Finds the folder of a model that is named by one of its files, as in `build ./model/model.safetensors`. */
export function folderOfFile(file: string): NamedFile {
  if (!MODEL_FILE.test(basename(file))) {
    throw configError(
      `${file} is a file, but not one of a model. Pass the folder of a model, or a config file with -f.`,
    );
  }
  const folder = rootOf(dirname(file));
  const path = relative(folder, file).replaceAll('\\', '/');
  const isGraph = graphVariants(listModel(folder)).some((variant) => variant.path === path);
  return { folder, variant: isGraph ? path : undefined };
}

const MODEL_FILE =
  /\.(?:onnx|safetensors)$|^(?:pytorch_model.*\.bin|(?:model\.safetensors\.index|config|tokenizer|tokenizer_config|modules|gliner_config)\.json)$/;

/** Graphs can be in a folder below that of the model. */
function rootOf(folder: string): string {
  const below = GRAPH_FOLDERS.filter((name) => name !== '').map((name) => name.slice(0, -1));
  const found = below
    .toSorted((one, other) => other.length - one.length)
    .find((name) => `/${folder.replaceAll('\\', '/')}`.endsWith(`/${name}`));
  return found === undefined ? folder : join(folder, ...found.split('/').map(() => '..'));
}
