import type { Static } from 'typebox';
import type { dataset } from '#gateway/api/datasets-schemas.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';
import { count } from '#serve/http/pages/browser/format.ts';
import { type DatasetFile, readDatasetFile } from './dataset-file.ts';
import { tagsIn } from './about.ts';
import { imageSource } from './image-source.ts';

/** Columns that have a meaning for the gateway. */
const MEANINGS = [
  { name: 'examples', title: 'Column with the texts or images', isRequired: true },
  { name: 'ground_truth', title: 'Column with the expected answers', isRequired: false },
];

/**
 * Selects one of the gateway's datasets, or uploads a file after a preview in which the user assigns meanings
 * to its columns.
 */
export function datasetField(
  session: Session,
  datasets: readonly { id: string; filename: string; row_count: number }[],
) {
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
  let chosen: DatasetFile | undefined;
  let meanings: readonly HTMLSelectElement[] = [];

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
     * The selected dataset's ID; a selected file is uploaded first. If nothing is selected, focuses the field
     * and returns undefined.
     */
    async datasetId(): Promise<string | undefined> {
      if (known.value !== '') return known.value;
      const file = input.files?.[0];
      if (!file || !chosen) {
        input.focus();
        return undefined;
      }
      const body = new FormData();
      body.set('dataset', await chosen.renamed(namesIn(meanings)));
      body.set('format', 'job');
      const { data } = await session.call<Static<typeof dataset>>('api/v1/datasets/', { body });
      // If creating the experiment fails, the next attempt uses the same dataset.
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

const MAX_SHOWN = 200;

function previewCell(text: string) {
  const source = imageSource(text);
  return source === undefined
    ? element('span', { class: 'cell-text' }, text.slice(0, MAX_SHOWN))
    : element('img', { class: 'thumbnail', src: source, alt: 'Image' });
}

function previewOf({ columns, rows }: DatasetFile) {
  if (columns.length === 0) {
    const words =
      'This file has no preview. It must have a column named examples, and usually one named ground_truth.';
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
  const shown = rows.map((row) => columns.map((_, at) => previewCell(row[at] ?? '')));
  return {
    meanings,
    nodes: [...fields, scrollable('First rows of the file', table('First rows', columns, shown, 'data'))],
  };
}

function namesIn(meanings: readonly HTMLSelectElement[]) {
  const names = new Map();
  for (const { value, dataset } of meanings) {
    if (value !== '' && value !== dataset['name']) names.set(value, dataset['name']);
  }
  return names;
}
