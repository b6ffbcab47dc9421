import { badge, facts } from '#serve/http/pages/browser/components/facts.ts';
import { type Wanted, dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { metricText, type ResultRow, type Workflow, answerText, type ModelRow } from './results.ts';
import { openDialog } from '#serve/http/pages/browser/components/dialog.ts';
import { duration } from '#serve/http/pages/browser/format.ts';
import { wordDiff } from './word-diff.ts';

const MAX_SHOWN = 160;
/**
 * Maximum number of models in the table. With more columns, the rows would be unreadable; the dialog for a
 * row shows all models.
 */
const MAX_MODELS = 6;

interface RowTableOptions {
  readonly workflows: readonly Pick<Workflow, 'id' | 'name'>[];
  readonly task: string;
  /** Metric for the scores. */
  readonly metric: string | null;
  readonly load: (
    wanted: Wanted,
  ) => Promise<{ rows: readonly ResultRow[]; next?: string | null | undefined; total: number }>;
  /** Whether to offer a filter for rows with errors. */
  readonly hasErrors?: boolean;
}

/** All of an experiment's rows, with the models' responses side by side. */
export function rowTable({ workflows, task, metric, load, hasErrors = true }: RowTableOptions) {
  const shown = workflows.slice(0, MAX_MODELS);
  const input = inputTitle(task);
  return dataTable({
    caption: 'Rows',
    name: 'rows',
    limit: 25,
    sort: 'row',
    empty: 'There are no rows yet.',
    columns: [
      {
        key: 'row',
        title: 'Row',
        sortable: true,
        cell: (row: ResultRow) => rowButton(row, { input, workflows }),
      },
      {
        key: 'length',
        title: input,
        // Of images, only the names are known, which have about the same length.
        sortable: input === 'Text',
        cell: ({ example }) => shortText(example, 'cell-text wide'),
      },
      { key: 'ground_truth', title: 'Ground truth', cell: (row) => shortText(answerText(row.ground_truth)) },
      ...shown.map(({ id, name }) => ({
        key: id,
        title: name,
        cell: (row: ResultRow) => answerCell(row, id, metric),
      })),
      ...(metric === null || workflows.length < 2
        ? []
        : [
            {
              key: 'spread',
              title: `Spread of ${metric}`,
              numeric: true,
              sortable: true,
              cell: (row: ResultRow) => spreadText(row, metric),
            },
          ]),
    ],
    filters: [
      { key: 'search', title: 'Search texts and answers', kind: 'text' },
      {
        key: 'show',
        title: 'Show',
        kind: 'choice',
        choices: [
          { value: 'differences', name: 'Different answers' },
          ...(hasErrors ? [{ value: 'errors', name: 'Errors' }] : []),
        ],
      },
    ],
    load,
  });
}

/** Title of the column with the inputs of the models. */
const inputTitle = (task: string) => (/^image-|^object-/.test(task) ? 'Image' : 'Text');

interface OpenRowOptions {
  readonly input: string;
  readonly workflows: readonly Pick<Workflow, 'id' | 'name'>[];
}

function rowButton(row: ResultRow, options: OpenRowOptions) {
  const button = element(
    'button',
    { type: 'button', class: 'quiet', 'aria-label': `Open row ${row.row}` },
    String(row.row),
  );
  button.addEventListener('click', () => openRow(row, options));
  return button;
}

const shortText = (text: string, style = 'cell-text') =>
  element(
    'span',
    { class: style, ...(text.length > MAX_SHOWN ? { title: text.slice(0, 1000) } : {}) },
    text === '' ? '–' : text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text,
  );

function answerCell({ models }: ResultRow, id: string, metric: string | null) {
  const result = models[id];
  if (!result) return '–';
  if (result.error !== null) return badge('no answer', 'alarm');
  const score = metric === null ? undefined : result.scores[metric];
  const text = shortText(answerText(result.answer));
  return score === undefined
    ? text
    : element('span', {}, text, element('span', { class: 'hint' }, ` ${metricText(score)}`));
}

function spreadText({ models }: ResultRow, metric: string) {
  const scores = Object.values(models).flatMap((model) => model.scores[metric] ?? []);
  return scores.length === 0 ? '–' : metricText(Math.max(...scores) - Math.min(...scores));
}

/**
 * Opens a row: its text, and each model's response with its scores, the judges' reasons, and the difference
 * from another response.
 */
function openRow(row: ResultRow, { input, workflows }: OpenRowOptions) {
  const truth = answerText(row.ground_truth);
  const names = [
    ...(row.ground_truth === null ? [] : [{ value: 'truth', name: 'the ground truth' }]),
    ...workflows.map(({ id, name }) => ({ value: id, name })),
  ];
  const select = element(
    'select',
    { id: 'row-diff' },
    element('option', { value: '' }, 'nothing'),
    ...names.map(({ value, name }) => element('option', { value }, name)),
  );
  const answers = element('div', { class: 'answers' });
  const draw = () => {
    const base =
      select.value === ''
        ? undefined
        : select.value === 'truth'
          ? truth
          : answerText(row.models[select.value]?.answer);
    answers.replaceChildren(
      ...workflows.map(({ id, name }) =>
        answerPart(name, row.models[id], id === select.value ? undefined : base),
      ),
    );
  };
  select.addEventListener('change', draw);
  draw();
  openDialog({
    title: `Row ${row.row}`,
    wide: true,
    content: [
      element('h3', {}, input),
      element('p', { class: 'answer-text' }, row.example),
      ...(row.ground_truth === null
        ? []
        : [element('h3', {}, 'Ground truth'), element('p', { class: 'answer-text' }, truth)]),
      element('p', { class: 'field' }, element('label', { for: 'row-diff' }, 'Show differences to'), select),
      answers,
    ],
    actions: [{ name: 'Close', kind: 'quiet' }],
  });
}

function answerPart(name: string, result: ModelRow | undefined, base: string | undefined) {
  const text = answerText(result?.answer);
  const scores = Object.entries(result?.scores ?? {}).map(([metric, score]) => {
    const reason = result?.reasons[metric];
    return [
      metric,
      reason === undefined
        ? metricText(score)
        : element('span', {}, metricText(score), element('span', { class: 'hint' }, ` ${reason}`)),
    ] as const;
  });
  const latency = result?.latency_ms ?? null;
  return element(
    'section',
    { 'aria-label': name },
    element('h3', {}, name),
    result?.error
      ? element('p', {}, badge('no answer', 'alarm'), ' ', result.error)
      : base === undefined
        ? element('p', { class: 'answer-text' }, text === '' ? '–' : text)
        : diffParagraph(base, text),
    facts([...scores, ...(latency === null ? [] : [['Latency', duration(latency)] as const])]),
  );
}

const diffParagraph = (base: string, text: string) =>
  element(
    'p',
    { class: 'answer-text' },
    ...wordDiff(base, text).map((part) =>
      part.kind === 'same' ? part.text : element(part.kind === 'added' ? 'ins' : 'del', {}, part.text),
    ),
  );
