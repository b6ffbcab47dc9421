import type { Session } from '#serve/http/pages/browser/session.ts';
import { counted, count } from '#serve/http/pages/browser/format.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { errorNotice } from '#serve/http/pages/browser/components/states.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';
import type { Model } from '../tasks/task.ts';
import { taskOf } from '../tasks/index.ts';
import { type FileAnswer, type Cells, cellsOf } from './cells.ts';
import { type Csv, readCsv, readLines, writeCsv } from './csv.ts';
import { runRows } from './run-rows.ts';

const PREVIEW = 3;
/** With more text boxes than this, the page would be hard to read and slow to render. */
const MAX_BOXES = 100;

interface CreateFilePanelOptions {
  readonly model: Model;
  readonly session: Session;
  readonly bodyOf: (texts: readonly string[]) => unknown;
  /** Fills the page's boxes with texts. */
  readonly onTexts: (texts: readonly string[]) => void;
}

/**
 * The panel that runs the model on the rows of a file and offers a file with the rows and their
 * results for download.
 */
export function createFilePanel({ model, session, bodyOf, onTexts }: CreateFilePanelOptions) {
  const input = element('input', {
    id: 'file-input',
    type: 'file',
    accept: '.csv,.tsv,.txt,text/csv,text/plain',
  });
  const opened = element('div', { class: 'page' });
  const task = taskOf(model);
  let running: AbortController | undefined;

  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    running?.abort();
    if (file) void open(file);
  });

  async function open(file: File) {
    const text = await file.text();
    const csv = file.name.endsWith('.txt') ? readLines(text) : readCsv(text);
    if (csv.rows.length === 0) {
      opened.replaceChildren(
        element(
          'p',
          { role: 'alert' },
          `${file.name} has no rows. The first line of a CSV file must contain the column names.`,
        ),
      );
      return;
    }
    const column = element(
      'select',
      { id: 'file-column' },
      ...csv.header.map((name, at) => element('option', { value: at }, name)),
    );
    column.value = String(
      Math.max(
        0,
        csv.header.findIndex((name) => /^(text|texts|input|sentence|document|content|body)$/i.test(name)),
      ),
    );
    const texts = () => csv.rows.map((row) => row[Number(column.value)] ?? '');
    const start = button('Run on all rows', '', () => void run(csv, texts(), file.name));
    const fill = button('Copy to the text boxes', 'quiet', () =>
      onTexts(
        texts()
          .filter((one) => one !== '')
          .slice(0, MAX_BOXES),
      ),
    );
    fill.hidden = csv.rows.length > MAX_BOXES;
    opened.replaceChildren(
      element('p', {}, `${file.name}: ${count(csv.rows.length)} rows.`),
      element('p', { class: 'field' }, element('label', { for: 'file-column' }, 'Text column'), column),
      scrollable(
        'First rows of the file',
        table('First rows of the file', csv.header, csv.rows.slice(0, PREVIEW), 'figures'),
      ),
      element('div', { class: 'actions' }, start, fill),
      outcome,
    );
    outcome.replaceChildren();
  }

  const outcome = element('div', { class: 'page' });

  async function run(csv: Csv, texts: readonly string[], name: string) {
    running?.abort();
    const own = new AbortController();
    running = own;
    const progress = element('progress', { max: texts.length, value: 0, 'aria-label': 'Processed rows' });
    const words = element('p', { class: 'hint', role: 'status' });
    const stop = button('Stop', 'quiet', () => own.abort());
    outcome.replaceChildren(progress, words, stop);
    const started = performance.now();
    try {
      const results = await runRows({
        texts,
        signal: own.signal,
        async send(batch) {
          const sent = batch.map((text, at) => ({ number: at + 1, text }));
          const { data } = await session.call<FileAnswer>(task.path, {
            body: bodyOf(batch),
            signal: own.signal,
          });
          return cellsOf(task, data, sent, model);
        },
        onProgress(done) {
          progress.value = done;
          words.textContent = `${count(done)} of ${count(texts.length)} rows`;
        },
      });
      if (running !== own) return;
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      outcome.replaceChildren(
        ...summary(results, seconds),
        download(withResults(csv, results), `${name.replace(/\.\w+$/, '')}-results.csv`),
      );
    } catch (error) {
      if (running !== own) return;
      if (!(error instanceof ServerError)) throw error;
      outcome.replaceChildren(errorNotice(error));
    }
  }

  return element(
    'div',
    { class: 'page' },
    element(
      'p',
      { class: 'field' },
      element('label', { for: 'file-input' }, 'CSV file, or a text file with one text per line'),
      input,
    ),
    opened,
  );
}

function summary(results: readonly (Cells | undefined)[], seconds: string) {
  const done = results.filter((cells) => cells !== undefined).length;
  const errors = results.filter((cells) => cells?.error !== undefined).length;
  const stopped = done < results.length ? ' Stopped; the remaining rows have no results.' : '';
  const failures = errors === 0 ? '' : ` ${counted(errors, 'row')} failed.`;
  return [element('p', { role: 'status' }, `${counted(done, 'row')} in ${seconds} s.${failures}${stopped}`)];
}

/** Adds the result columns to the rows of a file. A result column never replaces a column in the file. */
function withResults({ header, rows, delimiter }: Csv, results: readonly (Cells | undefined)[]) {
  const names = [...new Set(results.flatMap((cells) => Object.keys(cells ?? {})))];
  const shown = names.map((name) => (header.includes(name) ? `${name} (model)` : name));
  const records = rows.map((row, at) => [...row, ...names.map((name) => results[at]?.[name] ?? '')]);
  return writeCsv([[...header, ...shown], ...records], delimiter);
}

function download(content: string, name: string) {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/csv;charset=utf-8' }));
  return element('p', {}, element('a', { href: url, download: name }, `Download ${name}`));
}

function button(name: string, kind: string, run: () => void) {
  const node = element('button', { type: 'button', class: kind }, name);
  node.addEventListener('click', run);
  return node;
}
