import type { ModelType } from '../../runtime/contract/model-types.ts';
import { isMapping } from '../../runtime/core/yaml/describe.ts';

export interface ModelGuess {
  readonly name: string;
  readonly modelType: ModelType;
}

/**
 * Guesses the name and type of a model from its config.json, and from modules.json, which sentence-transformers writes. The
 * build checks the guess against the ONNX graph.
 */
export function guessModel(config: unknown, folderName: string, modules?: unknown): ModelGuess {
  const fields = isMapping(config) ? config : {};
  const name = guessName(fields, folderName);
  return { name, modelType: pools(modules) ? 'sentence_embedding' : guessType(fields) };
}

const pools = (modules: unknown): boolean =>
  Array.isArray(modules) &&
  modules.some((module) => isMapping(module) && /(^|\.)Pooling$/.test(String(module['type'])));

type Fields = Readonly<Record<string, unknown>>;

function guessType(fields: Fields): ModelType {
  const architectures = texts(fields['architectures']);
  if (architectures.some((name) => name.endsWith('ForTokenClassification'))) return 'token_classification';
  if (architectures.some((name) => name.endsWith('ForSequenceClassification')))
    return 'sequence_classification';
  // Base models have labels too, so labels only count if no architecture is named.
  const labels =
    architectures.length > 0 || !isMapping(fields['id2label'])
      ? []
      : texts(Object.values(fields['id2label']));
  if (labels.some((label) => /^[BI]-/.test(label))) return 'token_classification';
  return labels.length > 0 ? 'sequence_classification' : 'embedding';
}

function guessName(fields: Fields, folderName: string): string {
  const candidates = [hubName(fields['_name_or_path']), folderName, fields['model_type']];
  return candidates.find((name): name is string => typeof name === 'string' && isName(name)) ?? 'model';
}

/** The `name` of `organization/name`. A local path of the machine that trained the model is not useful. */
function hubName(nameOrPath: unknown): string | undefined {
  if (typeof nameOrPath !== 'string') return undefined;
  const [, name] = /^(?:[\w-][\w.-]*\/)?([\w-][\w.-]*)$/.exec(nameOrPath) ?? [];
  return name;
}

const isName = (text: string): boolean => /^[^./\\\p{Cc}][^/\\\p{Cc}]{0,254}$/u.test(text);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
