import { codeSamples } from '#serve/http/pages/browser/components/code-samples.ts';
import { counted } from '#serve/http/pages/browser/format.ts';
import { byId, element } from '#serve/http/pages/browser/dom.ts';
import { createFilePanel } from './file/file-panel.ts';
import { createImageList } from './image-list.ts';
import { createMixedList } from './mixed-list.ts';
import { createResults } from './results.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { createSession } from '#serve/http/pages/browser/session.ts';
import type { Model, Sent } from './tasks/task.ts';
import { taskOf } from './tasks/index.ts';
import { createTextList } from './text-list.ts';
import { showUnread, tokensDetails } from './tokens.ts';

/** Number of labels to list under the title. The remaining labels are only counted. */
const NAMED_LABELS = 9;

const form = byId('run-form', HTMLFormElement);
const query = byId('query', HTMLInputElement);
const option = byId('option', HTMLInputElement);
const samples = codeSamples('This request');
const session = createSession();
const results = createResults();
/** The inputs: text boxes, unless the model reads images. */
let texts: Pick<ReturnType<typeof createTextList>, 'addEmpty' | 'replace' | 'sent'> = createTextList(
  byId('texts', HTMLOListElement),
  showCall,
);

let model: Model | undefined;
let running = new AbortController();

byId('call', HTMLDivElement).append(samples.node);
byId('add', HTMLButtonElement).addEventListener('click', () => texts.addEmpty());
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

/** Runs an action that sends a request to the server. */
async function attempt(action: () => Promise<unknown>) {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    results.fail(error);
  }
}

const theModel = async () => model ?? openModel();

async function openModel() {
  const { data } = await session.call<Model>('model');
  if (!model) {
    model = data;
    introduce(data);
  }
  return data;
}

/** Runs the model on the texts. Starting a run cancels the previous run. */
async function run() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  results.busy();
  try {
    const known = await theModel();
    const task = taskOf(known);
    const sent = texts.sent();
    const asked = query.value;
    const answer = await session.call<unknown>(task.path, { body: bodyOf(known, sent), signal });
    const drawn = task.draw(sent, answer.data, known, asked);
    const written = task.inputs === 'images' ? [] : sent.filter(({ name }) => name === undefined);
    const more = written.length === 0 ? [] : [tokensDetails(written, session)];
    const { cut } = results.show(answer, drawn, sent, more);
    // If the server requires an API key, the user has entered it by now, and the sample code must send it.
    showCall();
    const truncated = answer.truncated.flatMap((at) => sent[at] ?? []);
    if (truncated.length > 0 && task.asks === undefined) await showUnread(cut, truncated, session, known);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    if (!signal.aborted) results.done();
  }
}

/** Shows sample code that sends the current input. */
function showCall() {
  if (!model) return;
  byId('same-call', HTMLElement).hidden = false;
  const url = new URL(taskOf(model).path, document.baseURI).href;
  // The code contains the name of an image instead of its bytes.
  const sent = texts
    .sent()
    .map((one) => (one.name === undefined ? one : { ...one, text: withoutBytes(one.text, one.name) }));
  samples.show({ url, method: 'POST', body: bodyOf(model, sent), withKey: session.key() !== '' });
}

const withoutBytes = (url: string, name: string) =>
  `${url.slice(0, url.indexOf(',') + 1)}<base64 of ${name}>`;

const bodyOf = (model: Model, sent: readonly Sent[]) =>
  bodyOfTexts(
    model,
    sent.map(({ text }) => text),
  );

const bodyOfTexts = (model: Model, inputs: readonly string[]) =>
  taskOf(model).body(inputs, model, query.value, option.checked);

/** Shows the name of the model and offers example texts that suit it. */
function introduce(model: Model) {
  const { title, labels, asks, offers, inputs, examples: examplesOf } = taskOf(model);
  const examples = examplesOf(model);
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
  if (inputs === 'images') {
    query.value = examples[0]?.query ?? '';
    readImages();
    return;
  }
  if (inputs === 'texts and images') addImages();
  byId('file', HTMLElement).hidden = false;
  byId('file', HTMLElement).append(
    createFilePanel({
      model,
      session,
      bodyOf: (inputs) => bodyOfTexts(model, inputs),
      onTexts: (found) => texts.replace(found),
    }),
  );
  // Keeps the text that the user typed before the server responded.
  const typed = texts.sent().some(({ text }) => text !== '');
  if (typed) showCall();
  else write(examples[0] ?? { texts: [''] });
}

/** Replaces the text boxes with a list of images. */
function readImages() {
  byId('inputs-heading', HTMLHeadingElement).textContent = 'Image';
  byId('examples', HTMLDivElement).replaceChildren('Drop or paste images here, or choose files.');
  byId('add', HTMLButtonElement).textContent = 'Choose images';
  form.setAttribute('aria-label', 'Images for the model');
  texts = createImageList(byId('texts', HTMLOListElement), showCall);
}

/** Adds a list of images below the text boxes. */
function addImages() {
  byId('inputs-heading', HTMLHeadingElement).textContent = 'Texts and images';
  form.setAttribute('aria-label', 'Texts and images for the model');
  const list = createMixedList(byId('texts', HTMLOListElement), showCall);
  list.replace(texts.sent().map(({ text }) => text));
  texts = list;
  const choose = element('button', { type: 'button', class: 'quiet' }, 'Choose images');
  choose.addEventListener('click', () => list.chooseImages());
  byId('add', HTMLButtonElement).after(choose);
}

function write({
  query: asked = '',
  option: isChosen = false,
  texts: inputs,
}: {
  query?: string;
  option?: boolean;
  texts: readonly string[];
}) {
  query.value = asked;
  option.checked = isChosen;
  texts.replace(inputs);
}

function labelFacts(names: readonly string[]) {
  if (names.length === 0) return [];
  return [names.length > NAMED_LABELS ? counted(names.length, 'label') : names.join(', ')];
}
