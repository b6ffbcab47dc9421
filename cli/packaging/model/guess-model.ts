import { configError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import { isMapping } from '#core/yaml/describe.ts';
import { RERANKER_FAMILIES } from './causal-rerankers.ts';
import { GUESSED_TYPES } from './build-types.ts';
import { CERTAINTY, type Evidence } from './evidence.ts';
import type { GraphOutput } from './graph-outputs.ts';
import { findIn } from './locate-files.ts';
import { modelOrigin } from './model-listing.ts';
import { readJsonObject, readJsonList } from './read-json.ts';

export interface ModelGuess {
  readonly name: string;
  readonly modelType: ModelType;
  /** The evidence for the type, for messages; undefined if the files do not state the type. */
  readonly because: string | undefined;
  /** The architecture of a text-generation model, unless its files state another use. */
  readonly generator?: string | undefined;
}

/** Reads the facts about a model's type from its folder. `outputs` are the outputs of the model's graph. */
export async function readEvidence(folder: string, outputs: readonly GraphOutput[]): Promise<Evidence> {
  const [config, modules] = [findIn(folder, 'config.json'), findIn(folder, 'modules.json')];
  const { name, repository } = modelOrigin(folder);
  return evidenceOf({
    folder,
    name,
    repository,
    config: config === undefined ? undefined : await readJsonObject<Record<string, unknown>>(config),
    modules: modules === undefined ? undefined : await readJsonList(modules),
    outputs,
  });
}

interface Contents extends Pick<Evidence, 'folder' | 'name'> {
  readonly repository?: string | undefined;
  readonly config: unknown;
  readonly modules?: unknown;
  readonly outputs?: readonly GraphOutput[];
}

/** Reads the evidence from parsed files. @internal Exported for tests only. */
export function evidenceOf({ config, modules, outputs = [], ...named }: Contents): Evidence {
  const fields = isMapping(config) ? config : {};
  const labels = fields['id2label'];
  return {
    ...named,
    config: fields,
    architectures: texts(fields['architectures']),
    labels: isMapping(labels) ? texts(Object.values(labels)) : [],
    modules: Array.isArray(modules)
      ? modules.flatMap((module) =>
          isMapping(module) ? (String(module['type']).split('.').at(-1) ?? []) : [],
        )
      : [],
    outputs,
  };
}

/** Guesses a model's name and type from its files. The build checks the guess against the ONNX graph. */
export async function guessModel(evidence: Evidence): Promise<ModelGuess> {
  const { name, config, architectures } = evidence;
  const types = Object.keys(GUESSED_TYPES) as ModelType[];
  const clues = await Promise.all(
    types.map(async (modelType) =>
      (await GUESSED_TYPES[modelType].guess(evidence)).map((clue) => ({ ...clue, modelType })),
    ),
  );
  const [best] = clues
    .flat()
    .toSorted((one, other) => CERTAINTY.indexOf(one.certainty) - CERTAINTY.indexOf(other.certainty));
  const { modelType = 'embedding', because, certainty = 'encoder' } = best ?? {};
  return {
    name: guessName(config, name),
    modelType,
    because,
    ...(certainty === 'encoder' ? { generator: architectures.find((one) => GENERATOR.test(one)) } : {}),
  };
}

/**
 * Rejects a text-generation model unless its files state that it is used for vectors: an executable
 * with its layers would not return what the model returns. `shown` is the model's name in messages.
 */
export function refuseGenerator({ generator }: ModelGuess, shown: string): void {
  if (generator === undefined) return;
  throw configError(
    `config.json of ${shown} names ${generator}, which generates text. Of such models, only the rerankers ${RERANKER_FAMILIES.join(', ')} can be built, from safetensors. ` +
      'Choose one of them or a model with a classification head for reranking, or pass --model-type sentence_embedding to build an embedding model from its layers.',
  );
}

/** XLM and FlauBERT use the suffix `WithLMHeadModel` for masked language models. */
const GENERATOR = /For(?:CausalLM|ConditionalGeneration|Seq2SeqLM)$|(?<!With)LMHeadModel$/;

/**
 * Does not use `_name_or_path` in config.json, because it often names the model that this one was
 * trained from.
 */
function guessName(fields: Evidence['config'], name: string): string {
  const candidates = [name, fields['model_type']];
  return candidates.find((one): one is string => typeof one === 'string' && isName(one)) ?? 'model';
}

const isName = (text: string): boolean => /^[^./\\\p{Cc}][^/\\\p{Cc}]{0,254}$/u.test(text);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
