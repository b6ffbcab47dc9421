import { singleQuoted } from '#core/text/shell-word.ts';
import { trimEndOf } from '#core/text/trim-text.ts';
import type { ExportFacts } from './model-kind.ts';
import { optimumTask } from './optimum-tasks.ts';

/** A model to export, as the user names it. */
export interface ExportSource {
  /** A folder, or the name of a repository on the hub. */
  readonly source: string;
  readonly isOnHub: boolean;
}

/** Why no export of a model can be built; undefined if one can. */
export const noWay = ({ kind }: Pick<ExportFacts, 'kind'>): string | undefined => NO_WAYS[kind];

const NO_WAYS: Readonly<Record<ExportFacts['kind'], string | undefined>> = {
  encoder: undefined,
  table: 'it is a table of word vectors without an encoder',
  images: 'it is a model of images, and only models of texts can be built',
  audio: 'it is an audio model, and only models of texts can be built',
  decoder: 'it has a decoder, which writes text, and only encoders can be built',
};

/**
 * The commands that export a model to ONNX, and build it with its own tokenizer and settings: the graph goes to the folder `onnx/` of the
 * model. optimum cannot read what transformers 5 has saved.
 */
export function exportWay(facts: ExportFacts, { source, isOnHub }: ExportSource): string {
  const folder = isOnHub ? `./${source.split('/').at(-1) ?? source}` : source;
  const from = quoted(folder);
  const graph = quoted(`${trimEndOf(folder, '/')}/onnx`);
  const task =
    facts.isOfTransformers5 || facts.hasOwnCode
      ? undefined
      : optimumTask(facts.modelType, facts.poolsTokens ? [] : facts.architectures);
  const trust = facts.hasOwnCode ? ' --trust-remote-code' : '';
  const library = facts.isSentenceModel ? ' --library transformers' : '';
  const commands =
    task === undefined
      ? [
          'pip install torch transformers onnx',
          'encoderfile export-script > export.py',
          `python export.py ${from} ${graph}${trust}`,
        ]
      : [
          'pip install "optimum-onnx[onnxruntime]"',
          `optimum-cli export onnx --model ${from} --task ${task}${library} ${graph}`,
        ];
  const download = isOnHub ? [`hf download ${source} --local-dir ${from}`] : [];
  const all = [commands[0] ?? '', ...download, ...commands.slice(1), `encoderfile build ${from}`];
  const how = facts.hasOwnCode ? ', which runs Python code of the model' : '';
  return `Export it${how}: ${all.map((command) => `\`${command}\``).join(', then ')}.`;
}

/** A path as a word of a shell. */
const quoted = (path: string): string => (/^[\w./:@\\-]+$/.test(path) ? path : singleQuoted(path));
