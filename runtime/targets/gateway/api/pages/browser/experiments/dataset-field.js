/** @import { Session } from '../session.js' */
/** @import { DatasetFile } from './dataset-file.js' */
import { element, scrollable } from '../dom.js';
import { table } from '../table.js';
import { count } from '../format.js';
import { readDatasetFile } from './dataset-file.js';
import { tagsIn } from './tag-text.js';

/** Columns with a meaning for the gateway. */
const MEANINGS = [
  { name: 'examples', title: 'Column with the texts', isRequired: true },
  { name: 'ground_truth', title: 'Column with the right answers', isRequired: false },
];

/**
 * Chooses a dataset of the gateway, or uploads a file after a preview in which its columns get their meaning.
 * @param {Session} session
 * @param {readonly { id: string, filename: string, row_count: number }[]} datasets
 */
export function datasetField(session, datasets) {
  const known = element(
    'select',
    { id: 'new-dataset' },
    element('option', { value: '' }, 'Upload a file'),
    ...datasets.map(({ id, filename, row_count: rows }) =>
      element('option', { value: id }, `${filename} (${count(rows)} rows)`),
    ),
  );
  const input = element('input', {
    id: 'new-file',
    type: 'file',
    accept: '.csv,.jsonl,.ndjson,.parquet',
    'aria-describedby': 'new-file-words',
  });
  const preview = element('div', { class: 'page' });
  const tags = element('input', { id: 'new-dataset-tags', autocomplete: 'off' });
  const upload = element(
    'div',
    { class: 'page' },
    element('p', { class: 'field' }, element('label', { for: 'new-file' }, 'File'), input),
    element('p', { id: 'new-file-words', class: 'hint' }, 'CSV, JSON lines or Parquet, at most 50 MB.'),
    preview,
    element(
      'p',
      { class: 'field' },
      element('label', { for: tags.id }, 'Tags of the dataset, separated by commas'),
      tags,
    ),
  );
  /** @type {DatasetFile | undefined} */
  let chosen;
  /** @type {readonly HTMLSelectElement[]} */
  let meanings = [];

  const showPreview = async () => {
    const file = input.files?.[0];
    chosen = file && (await readDatasetFile(file));
    const shown = chosen && previewOf(chosen);
    meanings = shown?.meanings ?? [];
    preview.replaceChildren(...(shown?.nodes ?? []));
  };
  input.addEventListener('change', () => void showPreview());
  known.addEventListener('change', () => {
    upload.hidden = known.value !== '';
  });

  return {
    node: element(
      'div',
      { class: 'page' },
      element('p', { class: 'field' }, element('label', { for: 'new-dataset' }, 'Dataset'), known),
      upload,
    ),

    /**
     * The id of the chosen dataset, which is uploaded if it is a file; undefined, with the focus on the field, if there is none.
     * @returns {Promise<string | undefined>}
     */
    async datasetId() {
      if (known.value !== '') return known.value;
      const file = input.files?.[0];
      if (!file || !chosen) {
        input.focus();
        return undefined;
      }
      const body = new FormData();
      body.set('dataset', await chosen.renamed(namesIn(meanings)));
      body.set('format', 'job');
      const { data } = await session.call('api/v1/datasets/', { body });
      // The next attempt uses the same dataset.
      known.append(element('option', { value: data.id }, data.filename));
      known.value = data.id;
      upload.hidden = true;
      if (tags.value.trim() !== '') {
        const path = `api/v1/datasets/${encodeURIComponent(data.id)}`;
        await session.call(path, { method: 'PATCH', body: { tags: tagsIn(tags.value) } });
      }
      return data.id;
    },
  };
}

/** @param {DatasetFile} file */
function previewOf({ columns, rows }) {
  if (columns.length === 0) {
    const words = 'This file has no preview. It needs a column examples, and usually ground_truth.';
    return { meanings: [], nodes: [element('p', { class: 'hint' }, words)] };
  }
  const meanings = MEANINGS.map(({ name, isRequired }, at) => {
    const likely = columns.includes(name) ? name : isRequired ? (columns[at] ?? '') : '';
    return element(
      'select',
      { id: `new-${name}`, 'data-name': name },
      ...(isRequired ? [] : [element('option', { value: '' }, 'none')]),
      ...columns.map((column) => element('option', { value: column, selected: column === likely }, column)),
    );
  });
  const fields = MEANINGS.map(({ name, title }, at) =>
    element('p', { class: 'field' }, element('label', { for: `new-${name}` }, title), meanings[at] ?? ''),
  );
  const shown = rows.map((row) =>
    columns.map((_, at) => element('span', { class: 'cell-text' }, (row[at] ?? '').slice(0, 200))),
  );
  return {
    meanings,
    nodes: [...fields, scrollable('First rows of the file', table('First rows', columns, shown, 'data'))],
  };
}

/** @param {readonly HTMLSelectElement[]} meanings */
function namesIn(meanings) {
  const names = new Map();
  for (const { value, dataset } of meanings) {
    if (value !== '' && value !== dataset['name']) names.set(value, dataset['name']);
  }
  return names;
}
