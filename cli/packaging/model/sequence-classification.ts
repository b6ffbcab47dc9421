import { configError } from '#contract/errors.ts';
import type { ScoreFunction } from '#contract/score-function.ts';
import { writeTextLogits, writeWordLogit } from '../architectures/write-graph.ts';
import { isStoredWeights } from '../architectures/weight-files.ts';
import type { BuildType, ReadModel, ReadModelRequest } from './build-type.ts';
import { type CausalReranker, findCausalReranker } from './causal-rerankers.ts';
import { compareTextScores } from './compare.ts';
import { classClue, clue } from './evidence.ts';
import { readLabels, requiredConfig, type ModelConfig, readModelConfig } from './model-config.ts';

/** A classifier of texts or text pairs. */
export const sequenceClassificationBuild: BuildType<'sequence_classification'> = {
  async guess(evidence) {
    const { architectures, labels, outputs, folder, name, repository = name, config } = evidence;
    const rank = outputs.find(({ name }) => name === 'logits')?.rank;
    // Base models have labels too, so labels only count if no architecture is named.
    const isUnnamed = architectures.length === 0;
    // The build writes the graph that returns a score; an exported graph returns the logits of all words.
    const reranker =
      outputs.length > 0
        ? undefined
        : await findCausalReranker({ folder, names: [repository, name], config });
    return [
      ...clue('name', reranker !== undefined, reranker?.because ?? ''),
      ...classClue(evidence, 'ForSequenceClassification'),
      ...clue('labels', isUnnamed && labels.length > 0, 'config.json has labels'),
      ...clue('shape', isUnnamed && rank === 2, 'the graph returns logits for each text'),
    ];
  },
  settingsFile: requiredConfig('sequence_classification'),
  async read({ files, name }) {
    const modelConfig = await readModelConfig(files);
    const { folder } = files;
    const reranker = isStoredWeights(files.weights)
      ? await findCausalReranker({ folder, names: [name], config: modelConfig })
      : undefined;
    if (reranker) return readReranker(files, modelConfig, reranker);
    return {
      modelConfig,
      withTokenizer: () => ({
        write: writeTextLogits,
        rules: {},
        withGraph({ width }) {
          const id2label = readLabels(modelConfig, width, files.modelConfig ?? files.folder);
          const scoreFunction = scoreFunctionOf(modelConfig, width);
          return {
            compare: compareTextScores(width, scoreFunction),
            facts: () => ({
              modelType: 'sequence_classification',
              ...(id2label ? { id2label } : {}),
              scoreFunction,
            }),
          };
        },
      }),
    };
  },
};

/** A generative model that scores pairs, with the prompt of its family. */
function readReranker(
  files: ReadModelRequest['files'],
  modelConfig: ModelConfig,
  { name, prompt, frame, words, ids }: CausalReranker,
): ReadModel<'sequence_classification'> {
  return {
    modelConfig,
    tokenizer: { frame },
    withTokenizer({ tokenizer }) {
      const idOf = (word: string): number => {
        const id = tokenizer.idOf(word);
        if (id !== undefined) return id;
        throw configError(
          `${files.tokenizer} has no token ${JSON.stringify(word)}, which ${name} compares. Use the tokenizer that belongs to the model.`,
        );
      };
      const { relevant, irrelevant } = words;
      return {
        write: writeWordLogit(
          ids.relevant === undefined
            ? {
                relevant: idOf(relevant),
                irrelevant: irrelevant === undefined ? undefined : idOf(irrelevant),
              }
            : { relevant: ids.relevant, irrelevant: ids.irrelevant },
        ),
        rules: {},
        withGraph: () => ({
          compare: compareTextScores(1, 'sigmoid'),
          facts: () => ({
            modelType: 'sequence_classification',
            id2label: { 0: 'LABEL_0' },
            scoreFunction: 'sigmoid',
            pairPrompt: prompt,
          }),
        }),
      };
    },
  };
}

/**
 * Returns the score function that transformers' text classification pipeline would choose for this
 * config.json.
 */
export function scoreFunctionOf({ problem_type: problem }: ModelConfig, labels: number): ScoreFunction {
  if (problem === 'regression') return 'none';
  return problem === 'multi_label_classification' || labels === 1 ? 'sigmoid' : 'softmax';
}
