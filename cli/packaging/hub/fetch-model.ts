import { join, posix } from 'node:path';
import { withFileSource } from '#platform/file-source.ts';
import { hubReferenceText } from '../../config/hub-reference.ts';
import { weightFilesOf } from '../architectures/find-weights.ts';
import { isStoredWeights } from '../architectures/weight-files.ts';
import type { GraphVariant } from '../model/graph-variants.ts';
import { CONFIG_FOLDERS, statedIn } from '../model/model-listing.ts';
import { moduleWeights } from '../model/sentence-files.ts';
import { externalLocations } from '../onnx/external-data.ts';
import { type ChosenFiles, chooseFiles, refuseLarge } from './choose-files.ts';
import { type EncoderTokenizers, fetchEncoderTokenizers } from './fetch-encoder-tokenizer.ts';
import {
  type FetchedRepository,
  fetchRepository,
  type FileChooser,
  type RepositoryRequest,
} from './fetch-repository.ts';
import type { HubFile } from './repository-files.ts';

export interface FetchRequest extends RepositoryRequest {
  /**
   * Chooses a graph. `isComplete` is false if the repository may have graphs that the cache does
   * not list.
   */
  readonly choose: (variants: readonly GraphVariant[], isComplete: boolean) => GraphVariant;
}

/** A model from the hub as a local folder. */
export interface FetchedModel extends FetchedRepository, EncoderTokenizers {
  readonly graph: GraphVariant;
  readonly variants: readonly GraphVariant[];
}

/**
 * Downloads the files of a model that are missing from the Hugging Face cache, and returns the
 * folder of its snapshot.
 */
export async function fetchModel(request: FetchRequest): Promise<FetchedModel> {
  const { facts, ...fetched } = await fetchRepository(request, chooseModel(request));
  const model = { ...fetched, ...facts };
  const name = hubReferenceText(request.reference);
  const tokenizers = await fetchEncoderTokenizers(model.folder, name, () => ({
    ...request,
    command: `encoderfile pull ${name}`,
  }));
  return { ...model, ...tokenizers };
}

const chooseModel = ({
  choose,
  reference: { repository },
}: FetchRequest): FileChooser<Pick<FetchedModel, 'graph' | 'variants'>> =>
  async function* chooseFrom({ files, snapshot, isComplete }) {
    // Which graphs are acceptable depends on the model's architecture and modules.
    const stating = new Set(['modules.json', ...CONFIG_FOLDERS.map((folder) => `${folder}config.json`)]);
    const config = files.filter(({ path }) => stating.has(path));
    for (const file of config) refuseLarge(file, repository);
    yield config;
    const listing = { files, ...statedIn(snapshot) };
    const chosen = chooseFiles(listing, repository, (variants) => choose(variants, isComplete));
    yield chosen.files;
    yield await externalFiles(snapshot, chosen, files);
    return { graph: chosen.graph, variants: chosen.variants };
  };

/**
 * Returns the weight files whose names are only known from the graph, the index of the weights
 * and modules.json.
 */
async function externalFiles(
  snapshot: string,
  { graph, files }: ChosenFiles,
  listing: readonly HubFile[],
): Promise<HubFile[]> {
  const path = join(snapshot, graph.path);
  const locations = isStoredWeights(path)
    ? await weightFilesOf(path)
    : await withFileSource(path, externalLocations);
  const folder = posix.dirname(graph.path);
  const paths = new Set([
    ...locations.map((location) => posix.join(folder, location)),
    ...(await moduleWeights(snapshot, (name) => listing.some((file) => file.path === name))),
  ]);
  return listing.filter((file) => paths.has(file.path) && !files.includes(file));
}
