/** @import { Operation } from './operation.js' */
import { failed } from '../components/states.js';
import { byId, element, withBreaks } from '../dom.js';
import { ServerError } from '../server.js';
import { createSession } from '../session.js';
import { operationSection, operationsOf } from './operation.js';
import { prose } from './prose.js';

const session = createSession();
void show();

async function show() {
  try {
    const { data } = await session.call('openapi.json');
    draw(data);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    byId('error', HTMLDivElement).replaceChildren(failed(error, () => void show()));
  }
}

/** @param {any} document_ an OpenAPI 3.0 or 3.1 document */
function draw(document_) {
  const { title, version, description } = document_.info;
  const operations = operationsOf(document_);
  document.title = title;
  byId('title', HTMLHeadingElement).textContent = title;
  byId('version', HTMLParagraphElement).textContent = `Version ${version}`;
  byId('error', HTMLDivElement).replaceChildren();
  if (document_.components?.securitySchemes) byId('key-place', HTMLSpanElement).replaceChildren(keyButton());
  byId('contents', HTMLElement).replaceChildren(...contents(operations));
  byId('operations', HTMLElement).replaceChildren(
    element('div', { class: 'intro' }, ...prose(description)),
    ...operations.map((operation) => operationSection(document_, operation, session)),
  );
  // The browser looked for the anchor before it existed.
  if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

/** A button that asks for the key with which this page sends requests. */
function keyButton() {
  const button = element('button', { type: 'button', class: 'quiet' });
  const name = () => {
    button.textContent = session.key() === '' ? 'Enter API key' : 'Change API key';
  };
  const change = async () => {
    await session.ask('Requests that you send from this page have this key.');
    name();
  };
  button.addEventListener('click', () => void change());
  name();
  return button;
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
  element(
    'li',
    {},
    element('a', { href: `#${id}` }, methodTag(method), ' ', element('span', {}, ...withBreaks(path))),
  );

/** @param {string} method */
const methodTag = (method) => element('span', { class: 'method' }, method);
