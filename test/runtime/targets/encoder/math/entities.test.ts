import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from 'tokenizers';
import { describe, expect, test } from 'vitest';
import {
  aggregateEntities,
  type AggregationStrategy,
  type EntityGroup,
  type EntityRules,
  type EntityToken,
  wordOfEntity,
} from '#encoder/math/entities.ts';
import { FIXTURES } from '#test/helpers/paths.ts';

/** The output of fixtures/scripts/make_entities.py. */
interface GoldenSet {
  readonly name: string;
  readonly id2label: Readonly<Record<string, string>>;
  readonly marks_subwords: boolean;
  readonly unknown: { readonly id: number; readonly token: string };
  /** The model's folder in fixtures/models. */
  readonly model: string;
  readonly cases: readonly GoldenCase[];
}
interface GoldenCase {
  readonly id: string;
  readonly text: string;
  readonly tokens: readonly (readonly [token: string, id: number, start: number, end: number])[];
  readonly scores: readonly (readonly number[])[];
  readonly groups: Readonly<Record<AggregationStrategy, readonly GoldenGroup[]>>;
}
type GoldenGroup = readonly [
  label: string,
  score: number,
  start: number,
  end: number,
  word: string,
  firstToken: number,
  tokens: number,
];

const SETS = JSON.parse(readFileSync(join(FIXTURES, 'golden', 'entities.json'), 'utf8')) as GoldenSet[];
const STRATEGIES = ['simple', 'first', 'average', 'max'] as const satisfies readonly AggregationStrategy[];

test('golden data exists with many entities', () => {
  const entities = SETS.flatMap(({ cases }) => cases.flatMap(({ groups }) => Object.values(groups).flat()));
  expect(entities.length).toBeGreaterThan(4000);
});

describe.each(SETS)('$name', ({ model, id2label, marks_subwords, unknown, cases }) => {
  const rules: EntityRules = { id2label, marksSubwords: marks_subwords, unknown };

  test.each(STRATEGIES)('%s finds the same entities as the transformers pipeline', async (strategy) => {
    const tokenizer = Tokenizer.fromFile(join(FIXTURES, 'models', model, 'tokenizer.json'));
    for (const { id, text, tokens, scores, groups } of cases) {
      const found = aggregateEntities(tokensOf(tokens, scores), strategy, text, rules);
      const expected = groups[strategy];
      expect(found.map(placeOf), id).toEqual(
        expected.map(([entity_group, , start, end]) => ({ entity_group, start, end })),
      );
      const words = await tokenizer.decodeBatch(
        found.map(({ ids }) => [...ids]),
        false,
      );
      for (const [index, entity] of found.entries()) {
        const [, score, , , word, first, count] = expected[index] ?? NO_GROUP;
        expect(Math.abs(entity.score - score), id).toBeLessThan(1e-5);
        expect(entity.ids, id).toEqual(tokens.slice(first, first + count).map(([, tokenId]) => tokenId));
        expect(wordOfEntity(words[index] ?? '', entity, rules), id).toEqual(sameUnlessBroken(word));
      }
    }
  });
});

test('a text without tokens has no entities', () => {
  for (const strategy of STRATEGIES) {
    expect(aggregateEntities([], strategy, '', { id2label: undefined, marksSubwords: true })).toEqual([]);
  }
});

test('an entity whose label has no name has the label number as its group', () => {
  const token = { token: 'a', token_id: 5, start: 0, end: 1, scores: Float32Array.of(0.25, 0.75) };
  expect(aggregateEntities([token], 'first', 'a', { id2label: undefined, marksSubwords: true })).toEqual([
    { entity_group: '1', score: 0.75, start: 0, end: 1, ids: [5], unknown: [] },
  ]);
});

describe('cases not covered by fixture models', () => {
  const spans = (labels: readonly string[], pieces: readonly Piece[], text: string, marksSubwords: boolean) =>
    aggregateEntities(pieces.map(surely), 'first', text, {
      id2label: Object.fromEntries(labels.entries()),
      marksSubwords,
    }).map(({ entity_group, start, end }) => [entity_group, start, end]);

  test('a single-character token is not a subword, even outside the BMP', () => {
    const pieces: Piece[] = [
      ['\u{20000}', 0, 1, 0],
      ['\u{20001}', 1, 2, 1],
    ];
    expect(spans(['HAN', 'OTHER'], pieces, '\u{20000}\u{20001}', true)).toEqual([
      ['HAN', 0, 1],
      ['OTHER', 1, 2],
    ]);
  });

  test('if subwords are not marked, a token with a leading space starts a word', () => {
    const pieces: Piece[] = [
      ['in', 0, 2, 0],
      ['\u2581Paris', 2, 8, 1],
    ];
    expect(spans(['IN', 'LOC'], pieces, 'in Paris', false)).toEqual([
      ['IN', 0, 2],
      ['LOC', 2, 8],
    ]);
  });

  test('only B- and I- are prefixes when tokens are grouped', () => {
    const pieces: Piece[] = [
      ['a', 0, 1, 0],
      ['b', 2, 3, 1],
    ];
    expect(spans(['X-PER', 'I-PER'], pieces, 'a b', true)).toEqual([
      ['PER', 0, 1],
      ['PER', 2, 3],
    ]);
  });
});

/** A token and its label index. */
type Piece = readonly [token: string, start: number, end: number, label: number];

const surely = ([token, start, end, label]: Piece): EntityToken => ({
  token,
  token_id: 0,
  start,
  end,
  scores: Float32Array.from({ length: 2 }, (_, index) => (index === label ? 1 : 0)),
});

/** The pipeline decodes word by word, which breaks characters that are split over two tokens; this code does not. */
const sameUnlessBroken = (word: string): unknown => (word.includes('\uFFFD') ? expect.any(String) : word);

const NO_GROUP: GoldenGroup = ['', NaN, 0, 0, '', 0, 0];

const placeOf = ({ entity_group, start, end }: EntityGroup) => ({ entity_group, start, end });

function tokensOf(tokens: GoldenCase['tokens'], scores: GoldenCase['scores']): EntityToken[] {
  return tokens.map(([token, token_id, start, end], index) => ({
    token,
    token_id,
    start,
    end,
    scores: Float32Array.from(scores[index] ?? []),
  }));
}
