import { configError } from '#contract/errors.ts';
import { ownVersion } from '../adapters/own-files.ts';
import { type HubReference, hubReferenceText } from '../config/hub-reference.ts';
import { fetchEncoderTokenizer } from '../packaging/hub/fetch-encoder-tokenizer.ts';
import { type FetchedModel, fetchModel, type FetchRequest } from '../packaging/hub/fetch-model.ts';
import { hubSettings } from '../packaging/hub/settings.ts';
import { chooseGraph } from '../packaging/model/graph-variants.ts';
import { type Reporter, silentReporter } from '../packaging/reporter.ts';
import { argumentWord } from './text.ts';

export interface HubOptions {
  readonly report?: Reporter | undefined;
  /** The graph to use; undefined means model.onnx, otherwise the only graph. */
  readonly variant?: string | undefined;
  /** Whether to use only files in the cache. */
  readonly offline?: boolean | undefined;
}

/** Downloads the files that a build needs from a model on the hub, with the settings from the environment. */
export async function fetchHubModel(
  reference: HubReference,
  options: HubOptions,
  choose = chooseBy(options.variant, reference),
): Promise<FetchedModel> {
  return await fetchModel({ reference, choose, ...hubRequest(options) });
}

/**
 * The folder with the tokenizer of a model in a local folder, if the model has none and uses that of
 * its encoder on the hub; undefined for other models.
 */
export async function fetchTokenizerOf(folder: string, options: HubOptions): Promise<string | undefined> {
  const command = `encoderfile build ${argumentWord(folder)}`;
  const found = await fetchEncoderTokenizer(folder, folder, () => ({ ...hubRequest(options), command }));
  return found?.folder;
}

const hubRequest = ({ report = silentReporter, offline = false }: HubOptions) => ({
  settings: hubSettings(process.env, offline),
  env: process.env,
  userAgent: `encoderfile/${ownVersion()}`,
  report,
});

/**
 * Chooses the graph that a build uses. Fails if the cache may not list all graphs, and the choice
 * could depend on missing ones.
 */
const chooseBy =
  (variant: string | undefined, reference: HubReference): FetchRequest['choose'] =>
  (variants, isComplete) => {
    const name = hubReferenceText(reference);
    const graph = chooseGraph(variants, variant, name);
    if (isComplete || variant !== undefined || graph.name === 'model') return graph;
    throw configError(
      `The cache contains ${graph.path} of ${name} but no list of the other graphs. Pass --variant ${graph.name}, or run \`encoderfile pull ${name}\` with a network connection.`,
    );
  };
