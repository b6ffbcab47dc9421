import { configError } from '#contract/errors.ts';
import { ownVersion } from '../adapters/own-files.ts';
import type { ModelSource } from '../config/build-config.ts';
import { type HubReference, hubReferenceText } from '../config/hub-reference.ts';
import { type EncoderTokenizers, fetchEncoderTokenizers } from '../packaging/hub/fetch-encoder-tokenizer.ts';
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

/** The folders with the tokenizers of a model in a local folder, if it uses those of its encoders on the hub. */
export async function fetchTokenizersOf(folder: string, options: HubOptions): Promise<TokenizerFolders> {
  const command = `encoderfile build ${argumentWord(folder)}`;
  return tokenizerFolders(
    await fetchEncoderTokenizers(folder, folder, () => ({ ...hubRequest(options), command })),
  );
}

type TokenizerFolders = Pick<ModelSource & { kind: 'folder' }, 'tokenizerFolder' | 'labelFolder'>;

/** The folders with tokenizers from other repositories, as a build expects them. */
export const tokenizerFolders = ({ tokenizer, labelTokenizer }: EncoderTokenizers): TokenizerFolders => ({
  tokenizerFolder: tokenizer?.folder,
  labelFolder: labelTokenizer?.folder,
});

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
