import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { configError } from '../../../runtime/contract/errors.ts';
import { findLicense } from '../../packaging/model/find-license.ts';
import { readDocuments } from '../../packaging/model/model-documents.ts';
import { readJson, readJsonList } from '../../packaging/model/read-json.ts';
import { VOCABULARY_FILES } from '../../packaging/tokenizer/vocabulary-kind.ts';

/** A file that a model has or should have. */
export interface FoundFile {
  readonly name: string;
  readonly required: boolean;
  readonly present: boolean;
}

/** The contents of a model folder. */
export interface ModelFolder {
  readonly config: Readonly<Record<string, unknown>> | undefined;
  /** Parts of the model as listed by sentence-transformers. */
  readonly modules: readonly unknown[] | undefined;
  /** The architecture named by the model: `BertForSequenceClassification`, or `bert`. */
  readonly architecture: string | undefined;
  readonly labels: readonly string[];
  /** License in the model card. */
  readonly license: string | undefined;
  readonly files: readonly FoundFile[];
  /** Problems that would make a build fail, one sentence each. */
  readonly problems: readonly string[];
  /** Problems of the model card and the license files, which a build leaves out. */
  readonly documentProblems: readonly string[];
}

const FILES = [
  ['model.onnx', true],
  ['config.json', true],
  ['tokenizer.json', true],
  ['tokenizer_config.json', false],
] as const;

/** Inspects a model folder without loading the model. `shown` is the folder as the user named it. */
export async function inspectModelFolder(folder: string, shown: string): Promise<ModelFolder> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw configError(`No such directory: ${shown}. Pass the folder that contains model.onnx.`);
  if (!found.isDirectory()) throw configError(`${shown} is a file. Pass the folder that contains the model.`);
  const files: FoundFile[] = [];
  for (const [name, required] of FILES) {
    const isFile = (await stat(join(folder, name)).catch(() => undefined))?.isFile() ?? false;
    files.push({ name, required, present: isFile });
  }
  const has = (name: string): boolean => files.some((file) => file.name === name && file.present);
  const config = has('config.json')
    ? await readJson<Record<string, unknown>>(join(folder, 'config.json'))
    : undefined;
  const modules = join(folder, 'modules.json');
  const { license, problems: documentProblems } = findLicense(undefined, await readDocuments(folder));
  return {
    config,
    modules: existsSync(modules) ? await readJsonList(modules) : undefined,
    architecture: architectureOf(config),
    labels: labelsOf(config),
    // The title of a license file is only a hint, which a build finds without the config.
    license: license?.source === 'card' ? license.id : undefined,
    documentProblems,
    files,
    problems: [
      ...(has('model.onnx') ? [] : [await missingWeights(folder, shown)]),
      ...(has('config.json')
        ? []
        : [
            `${shown} has no config.json, so the model type is a guess. Save the file with \`save_pretrained\`.`,
          ]),
      ...(has('tokenizer.json') || hasVocabulary(folder)
        ? []
        : [`${shown} has no tokenizer.json. Save it with \`save_pretrained\` of the tokenizer.`]),
    ],
  };
}

/** Whether a build can convert another file to tokenizer.json. */
const hasVocabulary = (folder: string): boolean =>
  Object.values(VOCABULARY_FILES)
    .flat()
    .some((name) => existsSync(join(folder, name)));

/** Exporters also write `onnx/model.onnx` or add the precision to the file name; the message then suggests those files. */
async function missingWeights(folder: string, shown: string): Promise<string> {
  const others: string[] = [];
  for (const below of ['', 'onnx']) {
    const names = await readdir(join(folder, below)).catch((): string[] => []);
    others.push(
      ...names
        .filter((name) => name.endsWith('.onnx'))
        .sort()
        .map((name) => (below === '' ? name : `${below}/${name}`)),
    );
  }
  if (others.length === 0) return `${shown} has no model.onnx. Export the model to ONNX before building.`;
  return (
    `${shown} has no model.onnx, but ${others.join(', ')}. ` +
    'Set one of them as `model_weights_path`, as shown in a comment of the config file.'
  );
}

function architectureOf(config: ModelFolder['config']): string | undefined {
  const architectures: unknown = config?.['architectures'];
  const [first]: unknown[] = Array.isArray(architectures) ? architectures : [];
  return [first, config?.['model_type']].find((value) => typeof value === 'string');
}

function labelsOf(config: ModelFolder['config']): string[] {
  const labels = config?.['id2label'];
  return typeof labels === 'object' && labels !== null ? Object.values(labels).map(String) : [];
}
