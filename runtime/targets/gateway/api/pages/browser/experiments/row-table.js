/** @import { ResultRow, Workflow } from './results.js' */
/** @import { Wanted } from '../components/data-table.js' */
import { badge } from '../components/facts.js';
import { dataTable } from '../components/data-table.js';
import { element } from '../dom.js';
import { metricText } from './metric-names.js';
import { answerText } from './results.js';
import { openRow } from './row-dialog.js';

const MAX_SHOWN = 160;
/** More columns than this would make every row unreadable; the dialog of a row has all models. */
const MAX_MODELS = 6;

/**
 * All rows of an experiment, with the responses from the models next to each other.
 * @param {object} options
 * @param {readonly Pick<Workflow, 'id' | 'name'>[]} options.workflows
 * @param {string | null} options.metric metric of the scores
 * @param {(wanted: Wanted) => Promise<{ rows: readonly ResultRow[], next?: string | null | undefined, total: number }>} options.load
 * @param {boolean} [options.hasErrors] whether rows with errors can be shown alone
 */
export function rowTable({ workflows, metric, load, hasErrors = true }) {
  const shown = workflows.slice(0, MAX_MODELS);
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
        cell: (/** @type {ResultRow} */ row) => rowButton(row, workflows),
      },
      {
        key: 'length',
        title: 'Text',
        sortable: true,
        cell: ({ example }) => shortText(example, 'cell-text wide'),
      },
      { key: 'ground_truth', title: 'Ground truth', cell: (row) => shortText(answerText(row.ground_truth)) },
      ...shown.map(({ id, name }) => ({
        key: id,
        title: name,
        cell: (/** @type {ResultRow} */ row) => answerCell(row, id, metric),
      })),
      ...(metric === null || workflows.length < 2
        ? []
        : [
            {
              key: 'spread',
              title: `Spread of ${metric}`,
              numeric: true,
              sortable: true,
              cell: (/** @type {ResultRow} */ row) => spreadText(row, metric),
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

/**
 * @param {ResultRow} row
 * @param {readonly Pick<Workflow, 'id' | 'name'>[]} workflows
 */
function rowButton(row, workflows) {
  const button = element(
    'button',
    { type: 'button', class: 'quiet', 'aria-label': `Open row ${row.row}` },
    String(row.row),
  );
  button.addEventListener('click', () => openRow(row, workflows));
  return button;
}

/**
 * @param {string} text
 * @param {string} style
 */
const shortText = (text, style = 'cell-text') =>
  element(
    'span',
    { class: style, ...(text.length > MAX_SHOWN ? { title: text.slice(0, 1000) } : {}) },
    text === '' ? '–' : text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text,
  );

/**
 * @param {ResultRow} row
 * @param {string} id
 * @param {string | null} metric
 */
function answerCell({ models }, id, metric) {
  const result = models[id];
  if (!result) return '–';
  if (result.error !== null) return badge('no answer', 'alarm');
  const score = metric === null ? undefined : result.scores[metric];
  const text = shortText(answerText(result.answer));
  return score === undefined
    ? text
    : element('span', {}, text, element('span', { class: 'hint' }, ` ${metricText(score)}`));
}

/**
 * @param {ResultRow} row
 * @param {string} metric
 */
function spreadText({ models }, metric) {
  const scores = Object.values(models).flatMap((model) => model.scores[metric] ?? []);
  return scores.length === 0 ? '–' : metricText(Math.max(...scores) - Math.min(...scores));
}
