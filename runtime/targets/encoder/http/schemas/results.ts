import { Type } from 'typebox';

const numbers = (description: string) => Type.Array(Type.Number(), { description });

const tokenInfo = Type.Object(
  {
    token: Type.String({ description: 'As the vocabulary writes it.' }),
    token_id: Type.Integer(),
    start: Type.Integer({ description: 'Where the token starts in the text, in Unicode code points.' }),
    end: Type.Integer({ description: 'Where it ends.' }),
  },
  { $id: 'TokenInfo' },
);

export const embeddingResult = Type.Object(
  {
    embeddings: Type.Array(
      Type.Object(
        { embedding: numbers('The vector of the token.'), token_info: tokenInfo },
        { $id: 'TokenEmbedding' },
      ),
      { description: 'One per token; those that the tokenizer adds are left out.' },
    ),
  },
  { $id: 'EmbeddingResult' },
);

export const sentenceEmbeddingResult = Type.Object(
  { embedding: numbers('The vector of the text.') },
  { $id: 'SentenceEmbeddingResult' },
);

const rankedLabel = Type.Object(
  { index: Type.Integer(), label: Type.String(), score: Type.Number() },
  { $id: 'RankedLabel' },
);

export const sequenceClassificationResult = Type.Object(
  {
    logits: numbers('What the model said of each label.'),
    scores: numbers(
      'Score of each label: softmax of the logits; the sigmoid of each for models with one label or with several ' +
        'per text; the logits themselves for regression.',
    ),
    predicted_index: Type.Integer({ description: 'The label with the highest score.' }),
    predicted_label: Type.Optional(Type.String()),
    top: Type.Optional(
      Type.Array(rankedLabel, { description: 'The likeliest labels, where `top_k` asked for them.' }),
    ),
  },
  { $id: 'SequenceClassificationResult' },
);

const entity = Type.Object(
  {
    entity_group: Type.String({ description: 'The label without `B-` or `I-`.' }),
    score: Type.Number(),
    word: Type.String(),
    start: Type.Integer({ description: 'Where it starts in the text, in Unicode code points.' }),
    end: Type.Integer({ description: 'Where it ends.' }),
  },
  { $id: 'Entity' },
);

export const tokenClassificationResult = Type.Object(
  {
    tokens: Type.Array(
      Type.Object(
        {
          token_info: tokenInfo,
          logits: numbers('What the model said of each label.'),
          scores: numbers('Probability of each label.'),
          label: Type.String({ description: 'The label with the highest score.' }),
          score: Type.Number({ description: 'Its score.' }),
        },
        { $id: 'TokenClassification' },
      ),
      { description: 'One per token; those that the tokenizer adds are left out.' },
    ),
    entities: Type.Optional(
      Type.Array(entity, { description: 'The entities of the text, where `aggregation` asked for them.' }),
    ),
  },
  { $id: 'TokenClassificationResult' },
);
