/** @import { ModelRow, ResultRow, Workflow } from './results.js' */
import { badge, facts } from '../components/facts.js';
import { openDialog } from '../components/dialog.js';
import { element } from '../dom.js';
import { duration } from '../format.js';
import { metricText } from './metric-names.js';
import { answerText } from './results.js';
import { wordDiff } from './word-diff.js';

/**
 * Opens a row: its text, and the response from each model with its scores, the reasons of judges, and the difference to another answer.
 * @param {ResultRow} row
 * @param {readonly Pick<Workflow, 'id' | 'name'>[]} workflows
 */
export function openRow(row, workflows) {
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
      element('h3', {}, 'Text'),
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

/**
 * @param {string} name
 * @param {ModelRow | undefined} result
 * @param {string | undefined} base
 */
function answerPart(name, result, base) {
  const text = answerText(result?.answer);
  const scores = Object.entries(result?.scores ?? {}).map(([metric, score]) => {
    const reason = result?.reasons[metric];
    return /** @type {const} */ ([
      metric,
      reason === undefined
        ? metricText(score)
        : element('span', {}, metricText(score), element('span', { class: 'hint' }, ` ${reason}`)),
    ]);
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
    facts([...scores, ...(latency === null ? [] : [/** @type {const} */ (['Latency', duration(latency)])])]),
  );
}

/**
 * @param {string} base
 * @param {string} text
 */
const diffParagraph = (base, text) =>
  element(
    'p',
    { class: 'answer-text' },
    ...wordDiff(base, text).map((part) =>
      part.kind === 'same' ? part.text : element(part.kind === 'added' ? 'ins' : 'del', {}, part.text),
    ),
  );
