import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { configError } from '../../../runtime/contract/errors.ts';
import { formatBytes } from '../../../runtime/core/model/progress.ts';

/** An ONNX graph of a model folder. Exporters write one for each precision or level of optimization. */
export interface GraphVariant {
  /** Path in the folder, with slashes: `onnx/model_fp16.onnx`. */
  readonly path: string;
  /** The value of `variant` that selects it: `fp16`, or `model` for model.onnx. */
  readonly name: string;
  /** Size of the graph and its external weights. */
  readonly bytes: number;
}

/** Lists the graphs of a folder as on Hugging Face: those in the folder before those in `onnx/`, by path. */
export const graphVariants = (folder: string): GraphVariant[] =>
  variantsAmong(
    ['', 'onnx/'].flatMap((below) =>
      filesIn(join(folder, below)).map((name) => ({
        path: `${below}${name}`,
        bytes: statSync(join(folder, below, name)).size,
      })),
    ),
  );

/** Same, for a list of files with paths relative to the folder. */
export function variantsAmong(
  files: readonly { readonly path: string; readonly bytes: number }[],
): GraphVariant[] {
  return ['', 'onnx/'].flatMap((below) => {
    const here = files
      .filter(({ path }) => path.startsWith(below) && !path.includes('/', below.length))
      .map(({ path, bytes }) => ({ file: path.slice(below.length), bytes }))
      .toSorted((one, other) => (one.file < other.file ? -1 : 1));
    return here
      .filter(({ file }) => isGraph(file))
      .map(({ file }) => ({
        path: `${below}${file}`,
        name: nameOf(file),
        bytes: here
          .filter((one) => one.file === file || isDataOf(one.file, file))
          .reduce((sum, one) => sum + one.bytes, 0),
      }));
  });
}

/** Chooses the graph of a folder: the named variant, else model.onnx, else the only one. `shown` is the folder for messages. */
export function chooseGraph(
  variants: readonly GraphVariant[],
  wanted: string | undefined,
  shown: string,
): GraphVariant {
  if (wanted !== undefined) return namedVariant(variants, wanted, shown);
  const [first, ...others] = variants;
  const plain = variants.find(({ name }) => name === PLAIN);
  if (plain) return plain;
  if (!first)
    throw configError(`No such file: model.onnx (searched in ${shown}). Export the model to ONNX first.`);
  if (others.length === 0) return first;
  throw configError(
    `${shown} has no model.onnx, but ${variants.length} other graphs: ${listVariants(variants)}. Choose one with \`variant\` in the config, or with --variant.`,
  );
}

function namedVariant(variants: readonly GraphVariant[], wanted: string, shown: string): GraphVariant {
  const found = variants.find(({ path }) => path === wanted) ?? variants.find((one) => isNamed(one, wanted));
  if (found) return found;
  const known = variants.length === 0 ? 'it has no ONNX files' : `choose one of ${listVariants(variants)}`;
  throw configError(`${shown} has no variant ${JSON.stringify(wanted)}; ${known}.`);
}

/** Names with sizes, for messages and tables: `fp16 (onnx/model_fp16.onnx, 45 MB)`. */
const listVariants = (variants: readonly GraphVariant[]): string =>
  variants.map(({ name, path, bytes }) => `${name} (${path}, ${formatBytes(bytes)})`).join(', ');

/** Accepts `fp16`, `model_fp16`, `model_fp16.onnx` and each with its folder. */
const isNamed = ({ path, name }: GraphVariant, wanted: string): boolean =>
  name === wanted || [path, path.replace(/^onnx\//, '')].includes(`${wanted.replace(/\.onnx$/, '')}.onnx`);

const PLAIN = 'model';
const isGraph = (file: string): boolean => file.endsWith('.onnx') && !file.startsWith('.');
/** Whether a file has weights of a graph in the same folder, by the names that exporters use. */
export const isDataOf = (name: string, graph: string): boolean =>
  name.startsWith(`${graph}_data`) || name.startsWith(`${graph}.data`);
const nameOf = (file: string): string => file.replace(/\.onnx$/, '').replace(/^model[_-](?=.)/, '');

function filesIn(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  const isFile = (name: string): boolean => {
    const path = join(folder, name);
    // Files of the Hugging Face cache are links, which can be broken.
    return existsSync(path) && statSync(path).isFile();
  };
  return readdirSync(folder).filter(isFile);
}
