import type { Session } from '#serve/http/pages/browser/session.ts';
import { codeSamples } from '#serve/http/pages/browser/components/code-samples.ts';
import { confirmAction } from '#serve/http/pages/browser/components/dialog.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { errorNotice } from '#serve/http/pages/browser/components/states.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import {
  examplesOf,
  exampleText,
  type Media,
  type OpenApi,
  type Operation,
  type Parameter,
  resolved,
} from './schema.ts';
import { readResponse } from './read-response.ts';

/**
 * The form that sends a request for an operation, and code samples for the request. Both are
 * created when the user opens the form.
 */
export function tryIt(api: OpenApi, operation: Operation, session: Session) {
  const details = element('details', { class: 'try-it' }, element('summary', {}, 'Try it'));
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(createForm(api, operation, session));
  });
  return details;
}

function createForm(api: OpenApi, { id, method, path, details }: Operation, session: Session) {
  const parameters = (details.parameters ?? [])
    .map((one) => resolved(api, one))
    .filter((one) => one.in === 'path' || one.in === 'query')
    .map((one) => ({ name: one.name, where: one.in, ...parameterField(id, one, api) }));
  const [type, media] = Object.entries(resolved(api, details.requestBody)?.content ?? {})[0] ?? [];
  const isSupported = type === undefined || type.includes('json') || type.startsWith('text/');
  const body = media === undefined || !isSupported ? undefined : bodyField(id, api, media);
  const problem = element('p', { class: 'field-problem', role: 'alert' });
  const outcome = element('div', { class: 'success' });
  const samples = codeSamples(`${method} ${path}`);
  let running = new AbortController();

  const readBody = () => {
    if (!body || body.input.value.trim() === '') return undefined;
    return type?.includes('json')
      ? JSON.parse(body.input.value)
      : new Blob([body.input.value], { type: type ?? '' });
  };
  const target = () => {
    const filled = parameters.reduce(
      (text, { name, where, input }) =>
        where === 'path' ? text.replace(`{${name}}`, encodeURIComponent(input.value)) : text,
      path,
    );
    const query = parameters.filter(({ where, input }) => where === 'query' && input.value !== '');
    const search = new URLSearchParams(query.map(({ name, input }) => [name, input.value])).toString();
    // The URL is relative, so that it works behind a proxy with a path prefix.
    return `${filled.replace(/^\//, '') || './'}${search === '' ? '' : `?${search}`}`;
  };
  const showCode = () => {
    const url = new URL(target(), document.baseURI).href;
    const withKey = session.key() !== '';
    try {
      const sent = readBody();
      samples.show({
        url,
        method,
        withKey,
        ...(sent === undefined || sent instanceof Blob ? {} : { body: sent }),
      });
      problem.textContent = '';
    } catch (error) {
      problem.textContent = `The body is not valid JSON. ${error instanceof Error ? error.message : ''}`;
    }
  };
  const send = async () => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    outcome.replaceChildren();
    outcome.setAttribute('aria-busy', 'true');
    try {
      const response = await session.open(target(), { method, body: readBody(), signal });
      await readResponse(response, outcome, running);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ServerError)) throw error;
      outcome.replaceChildren(errorNotice(error));
    } finally {
      if (!signal.aborted) outcome.removeAttribute('aria-busy');
      showCode();
    }
  };

  const missing = () => parameters.find(({ where, input }) => where === 'path' && input.value === '');
  const form = element(
    'form',
    { class: 'try-form', novalidate: true, 'aria-label': `Request ${method} ${path}` },
    ...parameters.map(({ node }) => node),
    ...(body ? [body.node] : []),
    problem,
    isSupported
      ? element('div', { class: 'actions' }, element('button', { type: 'submit' }, 'Send'))
      : element('p', { class: 'hint' }, `This page cannot send ${type}.`),
    outcome,
    samples.node,
  );
  form.addEventListener('input', showCode);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    showCode();
    const empty = missing();
    if (empty) {
      problem.textContent = `Enter a value for ${empty.name}.`;
      empty.input.focus();
    } else if (problem.textContent !== '') body?.input.focus();
    else if (method !== 'DELETE') void send();
    else {
      const words = `This sends ${method} ${path} to the server.`;
      void confirmAction({
        title: 'Send the request?',
        words,
        action: { name: 'Send', kind: 'danger', run: () => void send() },
      });
    }
  });
  showCode();
  return form;
}

function parameterField(id: string, { name, in: where, schema, example, required }: Parameter, api: OpenApi) {
  const own = resolved(api, schema) ?? {};
  const input = element('input', {
    id: `${id}-${name}`,
    type: 'text',
    spellcheck: 'false',
    autocomplete: 'off',
    required: required === true,
  });
  if (where === 'path') input.value = exampleText(example ?? own.example ?? own.examples?.[0] ?? '');
  const label = element(
    'label',
    { for: input.id },
    name,
    ...(required ? [] : [element('span', { class: 'optional' }, ' optional')]),
  );
  return { input, node: element('div', { class: 'field' }, label, input) };
}

function bodyField(id: string, api: OpenApi, media: Media) {
  const example = examplesOf(api, media)[0]?.[1];
  const input = element('textarea', { id: `${id}-body`, rows: 6, spellcheck: 'false', class: 'json' });
  input.value = example === undefined ? '' : exampleText(example);
  return {
    input,
    node: element('div', { class: 'field' }, element('label', { for: input.id }, 'Body'), input),
  };
}
