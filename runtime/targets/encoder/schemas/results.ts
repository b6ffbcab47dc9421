import { Type } from 'typebox';

const numbers = (description: string) => Type.Array(Type.Number(), { description });

const tokenInfo = Type.Object(
  {
    token: Type.String({ description: 'Token as written in the vocabulary.' }),
    token_id: Type.Integer(),
    start: Type.Integer({ description: 'Start of the token in the text, in Unicode code points.' }),
    end: Type.Integer({ description: 'End of the token in the text, in Unicode code points.' }),
  },
  { $id: 'TokenInfo' },
);

export const embeddingResult = Type.Object(
  {
    embeddings: Type.Array(
      Type.Object(
        { embedding: numbers('Vector of the token.'), token_info: tokenInfo },
        { $id: 'TokenEmbedding' },
      ),
      { description: 'One per token, without special tokens that the tokenizer adds.' },
    ),
  },
  { $id: 'EmbeddingResult' },
);

const maskCandidate = Type.Object(
  {
    token: Type.String(),
    token_id: Type.Integer(),
    score: Type.Number({ description: 'Probability of the token.' }),
    sequence: Type.String({ description: 'The text with the token in place of the mask.' }),
  },
  { $id: 'MaskCandidate' },
);
export const fillMaskResult = Type.Object(
  {
    masks: Type.Array(
      Type.Object(
        { candidates: Type.Array(maskCandidate, { description: 'Highest score first.' }) },
        { $id: 'FilledMask' },
      ),
      { description: 'The masks of the text, in order.' },
    ),
  },
  { $id: 'FillMaskResult' },
);

export const sparseEmbeddingResult = Type.Object(
  {
    indices: Type.Array(Type.Integer(), {
      description: 'Token ids of the words whose values are not zero, ascending.',
    }),
    values: numbers('Value of each index.'),
    tokens: Type.Optional(
      Type.Array(Type.Unsafe<string | null>({ type: 'string', nullable: true }), {
        description:
          'Token of each index, if `tokens` is set; null for an index that the vocabulary does not have.',
      }),
    ),
  },
  { $id: 'SparseEmbeddingResult' },
);

export const sentenceEmbeddingResult = Type.Object(
  { embedding: numbers('Vector of the text.') },
  { $id: 'SentenceEmbeddingResult' },
);

export const embeddingOutputsResult = Type.Object(
  {
    embedding: Type.Optional(numbers('Vector of the text, if `outputs` has `dense` or is not set.')),
    vectors: Type.Optional(
      Type.Array(numbers('Vector of a token.'), {
        description: 'One per token but the first one, if `outputs` has `multi_vector`.',
      }),
    ),
    sparse: Type.Optional(sparseEmbeddingResult),
  },
  { $id: 'EmbeddingOutputsResult' },
);

const rankedLabel = Type.Object(
  { index: Type.Integer(), label: Type.String(), score: Type.Number() },
  { $id: 'RankedLabel' },
);

export const multiVectorResult = Type.Object(
  {
    vectors: Type.Array(numbers('Vector of a token.'), {
      description:
        'One per token, special tokens included. Tokens of documents that the model skips, such as punctuation, have none; queries also have those of expansion tokens.',
    }),
  },
  { $id: 'MultiVectorResult' },
);

export const sequenceClassificationResult = Type.Object(
  {
    logits: numbers('Raw model output for each label.'),
    scores: numbers(
      'Score of each label: softmax of the logits; sigmoid for models with one label or with several ' +
        'labels per text; the logits for regression.',
    ),
    predicted_index: Type.Integer({ description: 'Index of the label with the highest score.' }),
    predicted_label: Type.Optional(Type.String()),
    top: Type.Optional(
      Type.Array(rankedLabel, { description: 'Labels with the highest scores, if `top_k` is set.' }),
    ),
  },
  { $id: 'SequenceClassificationResult' },
);

export const entity = Type.Object(
  {
    entity_group: Type.String({ description: 'Label without its `B-` or `I-` prefix.' }),
    score: Type.Number(),
    word: Type.String(),
    start: Type.Integer({ description: 'Start of the entity in the text, in Unicode code points.' }),
    end: Type.Integer({ description: 'End of the entity in the text, in Unicode code points.' }),
  },
  { $id: 'Entity' },
);

export const tokenClassificationResult = Type.Object(
  {
    tokens: Type.Array(
      Type.Object(
        {
          token_info: tokenInfo,
          logits: numbers('Raw model output for each label.'),
          scores: numbers('Probability of each label.'),
          label: Type.String({ description: 'Label with the highest score.' }),
          score: Type.Number({ description: 'Score of the label.' }),
        },
        { $id: 'TokenClassification' },
      ),
      { description: 'One per token, without special tokens that the tokenizer adds.' },
    ),
    entities: Type.Optional(
      Type.Array(entity, { description: 'Entities of the text, if `aggregation` is set.' }),
    ),
  },
  { $id: 'TokenClassificationResult' },
);

export const zeroShotNerResult = Type.Object(
  {
    entities: Type.Array(
      Type.Object(
        {
          text: Type.String({ description: 'The words of the entity.' }),
          label: Type.String({ description: 'One of the `labels` of the request.' }),
          score: Type.Number(),
          start: Type.Integer({ description: 'Start of the entity in the text, in Unicode code points.' }),
          end: Type.Integer({ description: 'End of the entity in the text, in Unicode code points.' }),
        },
        { $id: 'FoundEntity' },
      ),
      { description: 'Entities of the text, by start.' },
    ),
  },
  { $id: 'ZeroShotNerResult' },
);
