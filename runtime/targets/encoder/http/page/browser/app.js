/** @import { Model, Sent } from './tasks/index.js' */
import { copyButton } from './copy-button.js';
import { counted } from './counted.js';
import { curlLine } from './curl.js';
import { byId, element } from './dom.js';
import { createKeyForm } from './key-form.js';
import { createResults } from './results.js';
import { call, ServerError } from './server.js';
import { taskOf } from './tasks/index.js';
import { createTextList } from './text-list.js';

/** Number of labels to list under the title; the rest are only counted. */
const NAMED_LABELS = 9;

const form = byId('run-form', HTMLFormElement);
const query = byId('query', HTMLInputElement);
const option = byId('option', HTMLInputElement);
const callText = byId('call', HTMLPreElement);
const keyForm = createKeyForm();
const results = createResults();
const texts = createTextList(byId('texts', HTMLOListElement), showCall);

/** @type {Model | undefined} */
let model;
let running = new AbortController();

byId('copy-call', HTMLSpanElement).append(
  copyButton('Copy', 'Copy the curl command', () => callText.textContent ?? ''),
);
byId('add', HTMLButtonElement).addEventListener('click', texts.addEmpty);
query.addEventListener('input', showCall);
option.addEventListener('change', showCall);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void attempt(run);
});
form.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  form.requestSubmit();
});
texts.replace(['']);
void attempt(openModel);

/**
 * Runs an action that calls the server. If the server requires a key, asks for it and retries.
 * @param {() => Promise<unknown>} action
 */
async function attempt(action) {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (error.status === 401) keyForm.ask(error.message, () => void attempt(action));
    else results.fail(error);
  }
}

const theModel = async () => model ?? openModel();

async function openModel() {
  const { data } = await call('model', { key: keyForm.key() });
  if (!model) {
    model = data;
    introduce(data);
  }
  return data;
}

/** Runs the model on the texts. A new run cancels the previous one. */
async function run() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  results.busy();
  try {
    const known = await theModel();
    const { path, draw } = taskOf(known);
    const sent = texts.sent();
    const asked = query.value;
    const answer = await call(path, { body: bodyOf(known, sent), key: keyForm.key(), signal });
    results.show(answer, draw(sent, answer.data, known, asked), sent);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    if (!signal.aborted) results.done();
  }
}

/** Shows the curl command for the current input. */
function showCall() {
  if (!model) return;
  byId('same-call', HTMLElement).hidden = false;
  const url = new URL(taskOf(model).path, document.baseURI).href;
  callText.textContent = curlLine(url, bodyOf(model, texts.sent()), keyForm.key() !== '');
}

/**
 * @param {Model} model
 * @param {readonly Sent[]} sent
 */
const bodyOf = (model, sent) =>
  taskOf(model).body(
    sent.map(({ text }) => text),
    model,
    query.value,
    option.checked,
  );

/**
 * Shows the name of the model and offers example texts for it.
 * @param {Model} model
 */
function introduce(model) {
  const { title, labels, asks, offers, examples } = taskOf(model);
  document.title = `${model.model_id} · ${title}`;
  byId('model-name', HTMLHeadingElement).textContent = model.model_id;
  byId('model-facts', HTMLParagraphElement).textContent = [
    title,
    ...labelFacts(labels(Object.values(model.id2label ?? {}))),
    ...(model.license === undefined ? [] : [`License: ${model.license_name ?? model.license}`]),
  ].join(' · ');
  byId('examples', HTMLDivElement).append(
    element('span', {}, 'Try'),
    ...examples.map((example) => {
      const button = element('button', { type: 'button', class: 'quiet' }, example.name);
      button.addEventListener('click', () => {
        write(example);
        form.requestSubmit();
      });
      return button;
    }),
  );
  byId('query-row', HTMLDivElement).hidden = asks === undefined;
  byId('query-name', HTMLLabelElement).textContent = asks ?? '';
  byId('option-row', HTMLParagraphElement).hidden = offers === undefined;
  byId('option-name', HTMLLabelElement).textContent = offers ?? '';
  // Keep what the user typed before the server answered.
  const typed = texts.sent().some(({ text }) => text !== '');
  if (typed) showCall();
  else write(examples[0] ?? { texts: [''] });
}

/** @param {{ query?: string, option?: boolean, texts: readonly string[] }} example */
function write({ query: asked = '', option: isChosen = false, texts: inputs }) {
  query.value = asked;
  option.checked = isChosen;
  texts.replace(inputs);
}

/** @param {readonly string[]} names */
function labelFacts(names) {
  if (names.length === 0) return [];
  return [names.length > NAMED_LABELS ? counted(names.length, 'label') : names.join(', ')];
}
