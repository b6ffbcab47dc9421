import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openEngine } from '#encoder/engine/engine.ts';
import { questionAnsweringTask } from '#encoder/tasks/question-answering.ts';
import { largestDifference, TOLERANCE } from '../helpers/close.ts';
import { runCliHere } from '../helpers/cli-here.ts';
import { copyModel, writeConfig } from '../helpers/model-folder.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { type PredictRequest, TRANSPORTS } from './clients.ts';
import { ask, post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();

interface Answer {
  readonly answer: string;
  readonly score: number;
  readonly start: number;
  readonly end: number;
}

/** A request, and the response of the transformers pipeline (fixtures/scripts/make_questions.py). */
interface Golden {
  readonly question: string;
  readonly context: string;
  readonly top_k?: number;
  readonly max_answer_len?: number;
  readonly handle_impossible_answer?: boolean;
  readonly answers: readonly Answer[];
}
const cases = JSON.parse(readFileSync(join(FIXTURES, 'golden/questions.json'), 'utf8')) as Golden[];
const LONG = cases.length - 3;

function expectAnswers(found: readonly Answer[] | undefined, at: number): void {
  const { answers = [] } = cases[at] ?? {};
  const place = ({ answer, start, end }: Answer): unknown => ({ answer, start, end });
  expect(found?.map(place), String(at)).toEqual(answers.map(place));
  const scores = (list: readonly Answer[]): number[] => list.map(({ score }) => score);
  expect(largestDifference(scores(found ?? []), scores(answers))).toBeLessThan(TOLERANCE);
}

verifiesServed('questions:golden', async (arm) => {
  const served = await serve(arm, 'qa');
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'QuestionAnswering');
    for (const [at, { question, context, answers: _, ...options }] of cases.entries()) {
      const inputs = [
        { question: 'Who ?', context: 'x' },
        { question, context },
      ];
      const request = { inputs, metadata: { id: '7' }, ...options };
      const { results, ...rest } = (await client.predict(
        request as unknown as PredictRequest,
      )) as unknown as { results: { answers: Answer[] }[] };
      expect(rest).toEqual({ model_id: 'qa', metadata: { id: '7' } });
      expect(results).toHaveLength(2);
      expectAnswers(results[1]?.answers, at);
    }
    await client.close();
  }
  for (const path of ['/', '/predict']) {
    for (const at of [0, 1]) {
      const { question, context, top_k } = cases[at] ?? {};
      const body = { inputs: { question, context }, ...(top_k ? { parameters: { top_k } } : {}) };
      const { status, text } = await post(`${served.url}${path}`, body);
      expect(status, text).toBe(200);
      expectAnswers([JSON.parse(text) as Answer | Answer[]].flat(), at);
    }
  }
  const model = JSON.parse((await ask(`${served.url}/model`)).text) as object;
  expect(model).toEqual({ model_id: 'qa', model_type: 'question_answering', version: '1.0.0' });
});

verifiesServed('questions:refused', async (arm) => {
  const { url } = await serve(arm, 'qa', ['--max-windows=2', '--on-overflow=error']);
  const input = { question: 'Who ?', context: 'Anna' };
  const { question, context } = cases[LONG] ?? {};
  for (const [body, message] of [
    [{ inputs: [] }, 'Cannot tokenize empty string'],
    [{ inputs: [{ question: 'Who ?' }] }, 'inputs/0/context is missing'],
    [{ inputs: [{ ...input, question: '' }] }, 'Cannot tokenize empty string'],
    [{ inputs: ['x'] }, 'inputs/0 must be an object with question and context, not "x"'],
    [{ inputs: [input], top_k: 0 }, 'top_k must be at least 1, not 0'],
    [{ inputs: [input], max_answer_len: 1001 }, 'max_answer_len must be at most 1000, not 1001'],
    [
      { inputs: [{ ...input, question: 'who '.repeat(70) }] },
      "The question is too long: it has 73 tokens including special tokens, but must leave room for the context within this model's 64 tokens. Shorten the question.",
    ],
    [
      { inputs: [input, { question, context }] },
      'Input 1 is too long: it has more than 2 windows of 64 tokens (--max-windows). Shorten it, or start the server with --on-overflow truncate.',
    ],
  ] as const) {
    expect(await post(`${url}/predict`, body), message).toMatchObject({ status: 422, text: message });
  }
});

verifies('questions:infer', async (arm) => {
  const { question = '', context = '', top_k } = cases[LONG + 1] ?? {};
  const flags = ['--question', question, '--top-k', String(top_k)];
  const { exitCode, stdout } = await arm.run('qa', ['infer', ...flags, 'x', context]);
  const { predictions, metadata } = JSON.parse(stdout) as {
    predictions: { answers: Answer[] }[];
    metadata: null;
  };
  expect({ exitCode, metadata, count: predictions.length }).toEqual({
    exitCode: 0,
    metadata: null,
    count: 2,
  });
  expectAnswers(predictions[1]?.answers, LONG + 1);

  const input = join(folder(), 'texts.txt');
  writeFileSync(input, `x\n${context}\n`);
  const lines = (await arm.run('qa', ['infer', ...flags, '--input', input])).stdout.trimEnd().split('\n');
  expectAnswers((JSON.parse(lines[1] ?? '') as { answers: Answer[] }).answers, LONG + 1);

  for (const [model, args, code, message] of [
    ['qa', ['x'], 1, 'Error: --question is missing. Pass the question to answer from each text.\n'],
    [
      'qa',
      ['x', '--question=y', '--top-k=0'],
      2,
      /^Error: --top-k: "0" is not a whole number from 1 to 1000/,
    ],
    [
      'sentiment',
      ['x', '--question=y'],
      1,
      'Error: --question requires a question_answering model, but this is a sequence_classification model. Remove the flag.\n',
    ],
  ] as const) {
    const { stderr, ...rest } = await arm.run(model, ['infer', ...args]);
    expect(rest).toEqual({ exitCode: code, stdout: '' });
    expect(stderr).toMatch(message);
  }
});

verifiesOnce('questions:build', async () => {
  const config = copyModel(folder(), 'qa', { model_type: 'question_answering' });
  rmSync(join(folder(), 'model', 'model.safetensors'));
  rmSync(join(folder(), 'model', 'encoderfile.yml'));
  copyFileSync(join(FIXTURES, 'graphs/answers.onnx'), join(folder(), 'model', 'model.onnx'));
  const run = (...args: string[]) => runCliHere([...args, '--cache-dir', TEST_CACHE], { cwd: folder() });

  const guessed = await run('validate', 'model');
  expect(guessed.stdout + guessed.stderr).toContain(
    'model is of type question_answering, because config.json names BertForQuestionAnswering',
  );
  const built = await run('build', '-f', config, '--no-build', '-o', 'qa.encoder');
  expect(built.exitCode, built.stderr).toBe(0);
  const engine = await openEngine(join(folder(), 'qa.assets'), { threads: () => 1, prepack: false });
  const { question, context = '', max_answer_len: maxLength = 15 } = cases[LONG + 2] ?? {};
  const plan = { topK: 8, maxLength, canBeEmpty: true };
  const options = {
    questions: { question: question ?? '', plan },
    tokens: false,
    normalize: false,
    pooling: 'mean',
    prompt: { text: '' },
  } as const;
  const [inference] = await engine.infer([context], {
    inputsOf: (text) => [{ text: question ?? '', pair: text }],
  });
  expect(inference?.windows?.length).toBeGreaterThan(2);
  const printed = inference && (questionAnsweringTask.printed(inference, engine, options, context) as object);
  expectAnswers((printed as { answers: Answer[] }).answers, LONG + 2);
  expect(engine.manifest.graphChanges).toEqual(['Joined the outputs start_logits and end_logits']);
  await engine.close();

  writeConfig(folder(), {
    model_type: 'question_answering',
    transform: 'function Postprocess(x) return x end',
  });
  expect((await run('validate', '-f', config)).stderr).toMatch(
    /transform: is not supported for model_type question_answering/,
  );
});
