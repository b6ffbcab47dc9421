import { failed } from '#serve/http/pages/browser/components/states.ts';
import { byId, element, withBreaks } from '#serve/http/pages/browser/dom.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { createSession } from '#serve/http/pages/browser/session.ts';
import { operationSection, operationsOf } from './operation.ts';
import { prose, type OpenApi, type Operation } from './schema.ts';

const session = createSession();
void show();

async function show() {
  try {
    const { data } = await session.call<OpenApi>('openapi.json');
    draw(data);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    byId('error', HTMLDivElement).replaceChildren(failed(error, () => void show()));
  }
}

function draw(api: OpenApi) {
  const { title = '', version = '', description } = api.info ?? {};
  const operations = operationsOf(api);
  document.title = title;
  byId('title', HTMLHeadingElement).textContent = title;
  byId('version', HTMLParagraphElement).textContent = `Version ${version}`;
  byId('error', HTMLDivElement).replaceChildren();
  if (api.components?.securitySchemes) byId('key-place', HTMLSpanElement).replaceChildren(keyButton());
  byId('contents', HTMLElement).replaceChildren(...contents(operations));
  byId('operations', HTMLElement).replaceChildren(
    element('div', { class: 'intro' }, ...prose(description)),
    ...operations.map((operation) => operationSection(api, operation, session)),
  );
  // The browser has already looked for the anchor when it did not exist yet, so the page scrolls to it.
  if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

/** A button that prompts for the API key for requests from this page. */
function keyButton() {
  const button = element('button', { type: 'button', class: 'quiet' });
  const name = () => {
    button.textContent = session.key() === '' ? 'Enter API key' : 'Change API key';
  };
  const change = async () => {
    await session.ask('Requests sent from this page use this key.');
    name();
  };
  button.addEventListener('click', () => void change());
  name();
  return button;
}

/** Links to the operations, grouped by tag. */
function contents(operations: readonly Operation[]) {
  const groups = Map.groupBy(operations, ({ details }) => details.tags?.[0] ?? 'Operations');
  return [...groups].flatMap(([tag, members]) => [
    element('h2', {}, tag),
    element('ul', {}, ...members.map(link)),
  ]);
}

const link = ({ id, method, path }: Operation) =>
  element(
    'li',
    {},
    element('a', { href: `#${id}` }, methodTag(method), ' ', element('span', {}, ...withBreaks(path))),
  );

const methodTag = (method: string) => element('span', { class: 'method' }, method);
