import { exactly } from '#serve/cli/positionals.ts';
import { type CommandGroup, UsageError } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { formatTable } from '#serve/cli/table.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { configError } from '#contract/errors.ts';
import { createRedactor } from '#serve/redact.ts';
import type { Judgement } from '../accounts/feedback/feedback-log.ts';
import { feedbackRateView, feedbackView } from '../api/views/feedback.ts';
import { MASTER_AUTHOR, MAX_COMMENT, MAX_EXPECTED, MAX_LABEL, SCORE } from '../shared/feedback-limits.ts';
import { THUMBS } from '../shared/record-words.ts';
import type { FeedbackRow } from '../store/record-schema.ts';
import { pastRangeOf } from './options/time-options.ts';
import { formatSecond, orDash } from './show/format-values.ts';
import type { StoreContext } from './store/store-command.ts';
import { storeCommand } from './store/store-command.ts';

const MAX_REDACTION_MS = 5000;

const addFeedbackCommand = storeCommand({
  summary: 'Judge the response to a request. Replaces earlier feedback from the command line.',
  positionals: '<request_id>',
  options: {
    thumb: { value: 'thumb', help: 'Whether the response was good', choices: THUMBS },
    score: { value: 'number', help: `A score from ${SCORE.minimum} to ${SCORE.maximum}` },
    label: { value: 'label', help: `A label of up to ${MAX_LABEL} characters, e.g. wrong-language` },
    text: { value: 'text', help: 'A comment. Secrets are removed as from stored requests' },
    'expected-output': { value: 'text', help: 'The output that the model should have returned' },
  },
  prepare(invocation) {
    const [requestId] = exactly(invocation, '<request_id>');
    const judgement: Judgement = {
      thumb: THUMBS.find((one) => one === invocation.value('thumb')) ?? null,
      score: scoreIn(invocation.value('score')),
      label: textIn('label', invocation.value('label'), MAX_LABEL),
      text: textIn('text', invocation.value('text'), MAX_COMMENT),
      expectedOutput: textIn('expected-output', invocation.value('expected-output'), MAX_EXPECTED),
    };
    if (Object.values(judgement).every((value) => value === null))
      throw new UsageError('Set --thumb, --score, --label, --text or --expected-output.');
    return async ({ state: { requests, feedback }, config, output, json }) => {
      const [request] = await requests.named(requestId, undefined);
      if (!request) throw configError(`No finished request with ID ${JSON.stringify(requestId)} found.`);
      const row = await feedback.set(request, MASTER_AUTHOR, await redacted(judgement, config));
      if (json) printJson(output, feedbackView(row));
      else output.out(`${row.id}\n`);
    };
  },
});

/** The value of --score. A score of 2.5 is not a whole number, so the usual parser does not apply. */
function scoreIn(text: string | undefined): number | null {
  if (text === undefined) return null;
  const score = Number(text);
  if (text.trim() !== '' && score >= SCORE.minimum && score <= SCORE.maximum) return score;
  throw new UsageError(
    `--score must be a number from ${SCORE.minimum} to ${SCORE.maximum}, not ${JSON.stringify(text)}.`,
  );
}

function textIn(name: string, text: string | undefined, max: number): string | null {
  if (text === undefined) return null;
  if (text !== '' && text.length <= max) return text;
  throw new UsageError(`--${name} must have 1 to ${max} characters, not ${text.length}.`);
}

/** Removes secrets and the configured patterns, as from feedback over HTTP. */
async function redacted(
  judgement: Judgement,
  { secrets, fileModels }: StoreContext['config'],
): Promise<Judgement> {
  const { redactText } = await import('../accounts/prompts/redact-prompt.ts');
  const { patterns } = fileModels.models.prompts;
  const redactor = createRedactor(secrets);
  const redact = async (text: string | null): Promise<string | null> =>
    text === null
      ? null
      : await redactText(text, { redactor, patterns, deadline: performance.now() + MAX_REDACTION_MS });
  const { label, text, expectedOutput } = judgement;
  return {
    ...judgement,
    label: await redact(label),
    text: await redact(text),
    expectedOutput: await redact(expectedOutput),
  };
}

const listFeedbackCommand = storeCommand({
  summary: 'List feedback, newest first.',
  options: {
    request: { value: 'request_id', help: 'Only feedback on this request' },
    user: { value: 'user_id', help: 'Only requests from this user' },
    model: { value: 'model', help: 'Only requests to this model' },
    thumb: { value: 'thumb', help: 'Only feedback with this thumb', choices: THUMBS },
    label: { value: 'label', help: 'Only feedback with this label' },
    from: { value: 'time', help: 'Start: a duration before now, e.g. 24h, or a date, e.g. 2026-01-31' },
    to: { value: 'time', help: 'End, exclusive: a duration before now, e.g. 1h, or a date, e.g. 2026-02-28' },
    ...commonOptions({ limit: { help: 'Maximum number of items', fallback: '20' } }),
  },
  prepare(invocation) {
    const now = Date.now();
    const filter = {
      requestId: invocation.value('request'),
      userId: invocation.value('user'),
      model: invocation.value('model'),
      thumb: THUMBS.find((one) => one === invocation.value('thumb')),
      label: invocation.value('label'),
      ...pastRangeOf(invocation, now),
    };
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    return async ({ state, output, json }) => {
      const { total, feedback } = await state.feedback.list(filter, { skip: 0, limit });
      if (json) printJson(output, { total, items: feedback.map(feedbackView) });
      else if (feedback.length === 0) output.err('No feedback found.\n');
      else printLines(output, formatTable(COLUMNS, feedback.map(rowOf), stdoutTerminal()));
    };
  },
});

const COLUMNS = ['ID', 'TIME', 'REQUEST', 'MODEL', 'AUTHOR', 'THUMB', 'SCORE', 'LABEL'];

const rowOf = (row: FeedbackRow): string[] => [
  row.id,
  formatSecond(row.at),
  row.request_id,
  row.model,
  orDash(row.author),
  orDash(row.thumb),
  orDash(row.score),
  orDash(row.label),
];

const deleteFeedbackCommand = storeCommand({
  summary: 'Delete feedback.',
  positionals: '<id>',
  options: {},
  prepare(invocation) {
    const [id] = exactly(invocation, '<id>');
    return async ({ state, output, json }) => {
      await state.feedback.delete(id, 'administrator');
      if (json) printJson(output, { id });
    };
  },
});

const feedbackRatesCommand = storeCommand({
  summary: 'Show the share of good responses by model.',
  options: {
    from: { value: 'time', help: 'Start: a duration before now, e.g. 24h, or a date, e.g. 2026-01-31' },
    to: { value: 'time', help: 'End, exclusive: a duration before now, e.g. 1h, or a date, e.g. 2026-02-28' },
  },
  prepare(invocation) {
    const now = Date.now();
    const range = pastRangeOf(invocation, now);
    return async ({ state, output, json }) => {
      const rates = (await state.feedback.rates(range)).map(feedbackRateView);
      if (json) printJson(output, rates);
      else if (rates.length === 0) output.err('No feedback found.\n');
      else {
        const rows = rates.map((rate) => [
          rate.model,
          String(rate.feedback),
          String(rate.up),
          String(rate.down),
          rate.up_rate === null ? '-' : `${Math.round(rate.up_rate * 100)} %`,
          rate.mean_score === null ? '-' : String(Number(rate.mean_score.toPrecision(4))),
        ]);
        const columns = ['MODEL', 'FEEDBACK', 'UP', 'DOWN', 'UP SHARE', 'MEAN SCORE'];
        printLines(output, formatTable(columns, rows, stdoutTerminal()));
      }
    };
  },
});

export const FEEDBACK_COMMANDS: CommandGroup = {
  summary: 'Judge responses and show feedback.',
  commands: {
    add: addFeedbackCommand,
    list: listFeedbackCommand,
    delete: deleteFeedbackCommand,
    rates: feedbackRatesCommand,
  },
};
