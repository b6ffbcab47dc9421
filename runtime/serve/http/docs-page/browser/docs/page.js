/** @import { Operation } from './operation.js' */
import { byId, element } from '../dom.js';
import { createKeyForm } from '../key-form.js';
import { errorNotice } from '../notice.js';
import { call, ServerError } from '../server.js';
import { operationSection, operationsOf } from './operation.js';
import { prose } from './prose.js';

const keyForm = createKeyForm();
void show();

async function show() {
  try {
    const { data } = await call('openapi.json', { key: keyForm.key() });
    draw(data);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (error.status === 401) keyForm.ask(error.message, () => void show());
    else byId('error', HTMLDivElement).replaceChildren(errorNotice(error));
  }
}

/** @param {any} document_ an OpenAPI 3.0 or 3.1 document */
function draw(document_) {
  const { title, version, description } = document_.info;
  const operations = operationsOf(document_);
  document.title = title;
  byId('title', HTMLHeadingElement).textContent = title;
  byId('version', HTMLParagraphElement).textContent = `Version ${version}`;
  byId('contents', HTMLElement).replaceChildren(...contents(operations));
  byId('operations', HTMLElement).replaceChildren(
    element('div', { class: 'intro' }, ...prose(description)),
    ...operations.map((operation) => operationSection(document_, operation)),
  );
  // The browser looked for the anchor before it existed.
  if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

/**
 * Links to the operations, grouped by tag.
 * @param {readonly Operation[]} operations
 */
function contents(operations) {
  const groups = Map.groupBy(operations, ({ details }) => details.tags?.[0] ?? 'Operations');
  return [...groups].flatMap(([tag, members]) => [
    element('h2', {}, tag),
    element('ul', {}, ...members.map(link)),
  ]);
}

/** @param {Operation} operation */
const link = ({ id, method, path }) =>
  element('li', {}, element('a', { href: `#${id}` }, methodTag(method), ' ', element('span', {}, path)));

/** @param {string} method */
const methodTag = (method) => element('span', { class: 'method' }, method);
