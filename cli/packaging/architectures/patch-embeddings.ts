import { configError } from '#contract/errors.ts';
import { int } from '#core/onnx/attributes.ts';
import type { Value } from './graph-writer.ts';
import { gridOf, ImageGraph, type ImageSize, readImageSize, sizeText } from './image-graph.ts';
import { type Resizing, resizePositions } from './resize-positions.ts';

/** Weights and settings of the vectors that the first layer reads. */
export interface PatchNames {
  /** The convolution that computes the vector of each patch. */
  readonly convolution: string;
  /** Vectors of tokens before the patches that have a position. */
  readonly first: readonly string[];
  /** Vectors of further tokens, between those and the patches, that have no position. Default: none. */
  readonly others?: readonly string[];
  /** The table of positions; undefined if the model has none. */
  readonly positions: string | undefined;
  /** How positions are adapted to images of another size. Default: the model requires the size in config.json. */
  readonly resizing?: Resizing | undefined;
  readonly patchSize: number;
}

export interface EmbeddedPatches {
  /** The graph whose rows these are. */
  readonly g: ImageGraph;
  readonly rows: Value;
  readonly patch: ImageSize;
  /** Number of patches in each direction. */
  readonly grid: ImageSize;
}

/** The vectors of special tokens and of patches, with positions. One convolution computes all patches. */
export function embedPatches(graph: ImageGraph, names: PatchNames): EmbeddedPatches {
  const { config, weights, writer } = graph;
  const width = config.size('hidden_size', 768);
  const patch = readImageSize(config, 'patch_size', names.patchSize);
  const grid = gridOf(graph.size, patch);
  weights.get(`${names.convolution}.weight`, [width, 3, patch.height, patch.width]);
  const patches = graph.cellsOf(graph.convolution(graph.pixels, names.convolution, { stride: patch }));
  const [first, others] = [names.first, names.others ?? []].map((list) =>
    list.map((name) => constantRows(graph, name, width)),
  ) as [ConstantRows[], ConstantRows[]];
  const placed = addPositions(graph, { first, patches }, names, { width, patch, grid });
  const parts = [...placed.first, ...others.map(({ value }) => value)].map((value) =>
    graph.forEachImage(value),
  );
  const all =
    parts.length === 0 ? placed.patches : writer.op('Concat', [...parts, placed.patches], int('axis', 1));
  const special = [...first, ...others].reduce((sum, { count }) => sum + count, 0);
  const g = graph.withTokens(special + grid.height * grid.width);
  return { g, rows: g.byToken(all, width), patch, grid };
}

/** Vectors that are the same for all images, 1 x rows x width. */
interface ConstantRows {
  readonly value: Value;
  readonly count: number;
}

function constantRows(g: ImageGraph, name: string, width: number): ConstantRows {
  const count = rowCount(g, name, width);
  return { value: g.writer.op('Reshape', [g.weight(name), g.writer.integers([1, count, width])]), count };
}

/** Number of vectors of this width in a tensor. */
function rowCount({ weights }: ImageGraph, name: string, width: number): number {
  const { shape } = weights.get(name);
  const count = shape.reduce((product, size) => product * size, 1) / width;
  if (shape.at(-1) === width && count > 0) return count;
  throw configError(
    `${name} has the shape [${shape.join(', ')}], but \`hidden_size\` in config.json is ${width}. Use the config.json that belongs to the weights.`,
  );
}

/** Size of the images of training, and their number of patches in each direction. */
function trainedGrid({ config }: ImageGraph, patch: ImageSize): { image: ImageSize; trained: ImageSize } {
  const image = readImageSize(config, 'image_size', 224);
  return { image, trained: gridOf(image, patch) };
}

/** Rejects images that have another number of patches than those of training. */
export function requireTrainedGrid(
  g: ImageGraph,
  { patch, grid }: Pick<EmbeddedPatches, 'patch' | 'grid'>,
): void {
  const { image, trained } = trainedGrid(g, patch);
  if (grid.height === trained.height && grid.width === trained.width) return;
  throw configError(
    `The image processor creates images of ${sizeText(g.size)} pixels, but this model requires \`image_size\` in config.json (${sizeText(image)}). Use the preprocessor_config.json that belongs to the weights.`,
  );
}

/** Adds the positions to the tokens before the patches and to the patches. */
function addPositions(
  g: ImageGraph,
  { first, patches }: { readonly first: readonly ConstantRows[]; readonly patches: Value },
  { positions: name, resizing }: PatchNames,
  { width, patch, grid }: { readonly width: number; readonly patch: ImageSize; readonly grid: ImageSize },
): { readonly first: Value[]; readonly patches: Value } {
  const { writer } = g;
  if (name === undefined) return { first: first.map(({ value }) => value), patches };
  const { image, trained } = trainedGrid(g, patch);
  const count = rowCount(g, name, width);
  const start = first.length;
  if (count !== start + trained.height * trained.width) {
    throw configError(
      `${name} has ${count} positions, but \`image_size\` (${sizeText(image)}) and \`patch_size\` (${sizeText(patch)}) in config.json require ${start + trained.height * trained.width}. Use the config.json that belongs to the weights.`,
    );
  }
  const table = writer.op('Reshape', [g.weight(name), writer.integers([count, width])]);
  const rows = (from: number, to: number): Value =>
    writer.op('Slice', [table, ...[[from], [to], [0]].map((list) => writer.integers(list))]);
  if (resizing === undefined) requireTrainedGrid(g, { patch, grid });
  const own = start === 0 ? table : rows(start, count);
  const isSame = grid.height === trained.height && grid.width === trained.width;
  const ofPatches =
    isSame || resizing === undefined
      ? own
      : resizePositions(g, own, { from: trained, to: grid, width, resizing });
  return {
    first: first.map(({ value }, at) => g.add(value, rows(at, at + 1))),
    patches: g.add(patches, ofPatches),
  };
}
