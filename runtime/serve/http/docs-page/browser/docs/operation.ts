import type { Session } from '#serve/http/pages/browser/session.ts';
import { counted } from '#serve/http/pages/browser/format.ts';
import { element, scrollable, withBreaks } from '#serve/http/pages/browser/dom.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';
import {
  contents,
  examplesOf,
  exampleText,
  type Answer,
  type Described,
  type OpenApi,
  type Operation,
  type Parameter,
  resolved,
  typeText,
  prose,
} from './schema.ts';
import { tryIt } from './try-it.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface Response {
  readonly status: string;
  readonly answer: Answer;
}

export const operationsOf = ({ paths }: OpenApi): Operation[] =>
  Object.entries(paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const details = item[method];
      const id = `${method}${path.replaceAll(/\W+/g, '-')}`;
      return details ? [{ id, method: method.toUpperCase(), path, details }] : [];
    }),
  );

export function operationSection(api: OpenApi, operation: Operation, session: Session) {
  const { id, method, path, details } = operation;
  const heading = element(
    'h2',
    { id },
    element('span', { class: 'method' }, method),
    ' ',
    element('code', {}, ...withBreaks(path)),
  );
  const summary = details.summary ? [element('p', { class: 'summary' }, details.summary)] : [];
  return element(
    'section',
    { class: 'operation', 'aria-labelledby': id },
    heading,
    ...summary,
    ...prose(details.description),
    ...parameters(api, details.parameters ?? []),
    ...request(api, resolved(api, details.requestBody)),
    tryIt(api, operation, session),
    element('h3', {}, 'Responses'),
    ...responses(api, details.responses ?? {}),
  );
}

function parameters(api: OpenApi, list: readonly Parameter[]) {
  if (list.length === 0) return [];
  const rows = list
    .map((one) => resolved(api, one))
    .map((one) => [
      one.name,
      one.in,
      `${typeText(api, one.schema)}${one.required ? ', required' : ''}`,
      one.description ?? '',
    ]);
  const columns = ['Name', 'In', 'Type', 'Meaning'];
  return [
    element('h3', {}, 'Parameters'),
    scrollable('Parameters', table('Parameters', columns, rows, 'figures'), 'group'),
  ];
}

function request(api: OpenApi, body: Described | undefined) {
  if (!body) return [];
  return [element('h3', {}, 'Request'), ...prose(body.description), ...contents(api, body.content)];
}

function responses(api: OpenApi, all: Readonly<Record<string, Answer>>) {
  const entries = Object.entries(all).map(([status, answer]) => ({ status, answer: resolved(api, answer) }));
  const [good, bad] = [true, false].map((wanted) =>
    entries.filter(({ status }) => status.startsWith('2') === wanted),
  );
  return [...(good ?? []).map((one) => success(api, one)), ...errors(api, bad ?? [])];
}

function success(api: OpenApi, { status, answer }: Response) {
  return element(
    'div',
    { class: 'success' },
    element('p', {}, element('b', { class: 'status' }, status), answer.description ?? ''),
    ...contents(api, answer.content),
    ...headers(api, answer.headers),
  );
}

function errors(api: OpenApi, list: readonly Response[]) {
  if (list.length === 0) return [];
  const rows = list.map(({ status, answer }) => {
    const [media] = Object.values(answer.content ?? {});
    const [example] = media ? examplesOf(api, media) : [];
    return [status, answer.description ?? '', example ? element('code', {}, exampleText(example[1])) : ''];
  });
  const summary = element(
    'summary',
    {},
    `${counted(list.length, 'error')}: ${list.map(({ status }) => status).join(', ')}`,
  );
  const described = table('Errors', ['Status', 'Meaning', 'Example'], rows, 'figures');
  return [element('details', {}, summary, scrollable('Errors', described, 'group'))];
}

function headers(api: OpenApi, list: Answer['headers']) {
  const rows = Object.entries(list ?? {}).map(([name, value]) => [
    name,
    resolved(api, value).description ?? '',
  ]);
  if (rows.length === 0) return [];
  const described = scrollable('Headers', table('Headers', ['Header', 'Meaning'], rows, 'figures'), 'group');
  return [element('details', {}, element('summary', {}, counted(rows.length, 'header')), described)];
}
