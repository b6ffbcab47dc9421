import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { configError } from '#contract/errors.ts';
import { type ModelType, readsImages, readsTextsAndImages } from '#contract/model-types.ts';
import { findProcessor, PROCESSOR_FILES } from '../../packaging/images/find-processor.ts';
import { findLicense, readDocuments } from '../../packaging/model/model-documents.ts';
import { GUESSED_TYPES } from '../../packaging/model/build-types.ts';
import { guessModel, type ModelGuess, readEvidence } from '../../packaging/model/guess-model.ts';
import { type GraphOutput, graphOutputs } from '../../packaging/model/graph-outputs.ts';
import { type GraphVariant, graphVariants, withoutGraph } from '../../packaging/model/graph-variants.ts';
import { listModel } from '../../packaging/model/model-listing.ts';
import { encodersWithTokenizer } from '../../packaging/model/gliner-encoder.ts';
import { findIn, findVocabulary, findNamedTokenizers } from '../../packaging/model/locate-files.ts';
import { hubReferenceText } from '../../config/hub-reference.ts';
import { orSimilar } from '../similar-path.ts';
import { proposeGraph } from './propose-graph.ts';

/** A file that a model requires or should contain. */
export interface FoundFile {
  readonly name: string;
  readonly required: boolean;
  readonly present: boolean;
}

/** The contents of a model folder. */
export interface ModelFolder {
  readonly guess: ModelGuess;
  /** The folder's graphs, and the graph to use. */
  readonly variants: readonly GraphVariant[];
  readonly graph: GraphVariant | undefined;
  /** The architecture that config.json names, for example `BertForSequenceClassification` or `bert`. */
  readonly architecture: string | undefined;
  readonly labels: readonly string[];
  /** License in the model card. */
  readonly license: string | undefined;
  readonly files: readonly FoundFile[];
  /** Problems that would make any build fail, one sentence each. */
  readonly problems: readonly string[];
  /** Problems with the model card and the license files. Builds omit these documents. */
  readonly documentProblems: readonly string[];
}

const TOKENIZER = 'tokenizer.json';
const [PROCESSOR] = PROCESSOR_FILES;

/** The settings files of a model type, and whether they are required. */
const filesOf = (config: string, type: ModelType) => [
  [config, true] as const,
  ...(readsImages(type) ? [] : [[TOKENIZER, true] as const, ['tokenizer_config.json', false] as const]),
  ...(readsImages(type) || readsTextsAndImages(type) ? [[PROCESSOR, true] as const] : []),
];

/**
 * Inspects a model folder without loading the model. `shown` is the folder as the user named it;
 * `known` lists the graphs of the repository, some of which can be missing from the folder.
 */
export async function inspectModelFolder(
  folder: string,
  shown: string,
  known?: readonly GraphVariant[],
): Promise<ModelFolder> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw configError(`No such directory: ${shown}${orSimilar(shown)} Pass a model folder.`);
  if (!found.isDirectory()) throw configError(`${shown} is a file. Pass the folder that contains the model.`);
  const listing = listModel(folder);
  const variants = known ?? graphVariants(listing);
  const graph = variants.length > 0 ? proposeGraph(variants) : undefined;
  const evidence = await readEvidence(folder, graph ? outputsOf(join(folder, graph.path)) : []);
  const guess = await guessModel(evidence);
  const { text: encoder, labels: labelEncoder } = encodersWithTokenizer(folder, shown);
  const { settingsFile } = GUESSED_TYPES[guess.modelType];
  const isOfImages = readsImages(guess.modelType);
  const [named, ...others] = graph ? findNamedTokenizers(join(folder, graph.path)) : [];
  const tokenizer = findIn(folder, TOKENIZER) ?? (others.length === 0 ? named : undefined);
  const files: FoundFile[] = [
    { name: graph?.path ?? 'model.onnx', required: true, present: graph !== undefined },
    ...filesOf(settingsFile?.name ?? 'config.json', guess.modelType).map(([name, required]) => {
      if (name === TOKENIZER && encoder)
        return { name: `tokenizer of ${hubReferenceText(encoder)}`, required, present: true };
      const path =
        name === TOKENIZER ? tokenizer : name === PROCESSOR ? findProcessor(folder) : findIn(folder, name);
      const shown = path === undefined ? name : relative(folder, path).replaceAll('\\', '/');
      return { name: shown, required, present: path !== undefined };
    }),
    ...(labelEncoder
      ? [{ name: `label tokenizer of ${hubReferenceText(labelEncoder)}`, required: true, present: true }]
      : []),
  ];
  const { config } = evidence;
  const { license, problems: documentProblems } = findLicense(undefined, await readDocuments(folder));
  return {
    guess,
    variants,
    graph,
    architecture: architectureOf(config),
    labels: labelsOf(config),
    // The title of a license file is not written to the config, because builds also find the file without it.
    license: license?.source === 'card' ? license.id : undefined,
    documentProblems,
    files,
    problems: [
      ...(graph ? [] : [withoutGraph(listing, shown).message]),
      ...(isOfImages ||
      tokenizer !== undefined ||
      findVocabulary(folder) !== undefined ||
      encoder !== undefined
        ? []
        : [`${shown} has no tokenizer.json. Save it with the tokenizer's \`save_pretrained\`.`]),
    ],
  };
}

/** Ignores graphs that cannot be read, because builds report them. */
function outputsOf(path: string): GraphOutput[] {
  try {
    return graphOutputs(path);
  } catch {
    return [];
  }
}

type Fields = Readonly<Record<string, unknown>>;

function architectureOf(config: Fields): string | undefined {
  const architectures: unknown = config['architectures'];
  const [first]: unknown[] = Array.isArray(architectures) ? architectures : [];
  return [first, config['model_type']].find((value) => typeof value === 'string');
}

function labelsOf(config: Fields): string[] {
  const labels = config['id2label'];
  return typeof labels === 'object' && labels !== null ? Object.values(labels).map(String) : [];
}
