/** @import { Session } from '../session.js' */
/** @import { OpenApi } from './schema.js' */
import { counted } from '../counted.js';
import { element, scrollable, withBreaks } from '../dom.js';
import { table } from '../table.js';
import { contents, examplesOf, exampleText } from './content.js';
import { prose } from './prose.js';
import { resolved, typeText } from './schema.js';
import { tryIt } from './try-it.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * @typedef {object} Operation
 * @property {string} id anchor on the page
 * @property {string} method
 * @property {string} path
 * @property {any} details
 */

/** @typedef {{ status: string, answer: any }} Response */

/**
 * @param {OpenApi} api
 * @returns {Operation[]}
 */
export const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      id: `${method}${path.replaceAll(/\W+/g, '-')}`,
      method: method.toUpperCase(),
      path,
      details: item[method],
    })),
  );

/**
 * @param {OpenApi} api
 * @param {Operation} operation
 * @param {Session} session
 */
export function operationSection(api, operation, session) {
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

/**
 * @param {OpenApi} api
 * @param {readonly any[]} list
 */
function parameters(api, list) {
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

/**
 * @param {OpenApi} api
 * @param {any} body
 */
function request(api, body) {
  if (!body) return [];
  return [element('h3', {}, 'Request'), ...prose(body.description), ...contents(api, body.content)];
}

/**
 * @param {OpenApi} api
 * @param {Record<string, any>} all
 */
function responses(api, all) {
  const entries = Object.entries(all).map(([status, answer]) => ({ status, answer: resolved(api, answer) }));
  const [good, bad] = [true, false].map((wanted) =>
    entries.filter(({ status }) => status.startsWith('2') === wanted),
  );
  return [...(good ?? []).map((one) => success(api, one)), ...errors(api, bad ?? [])];
}

/**
 * @param {OpenApi} api
 * @param {Response} response
 */
function success(api, { status, answer }) {
  return element(
    'div',
    { class: 'success' },
    element('p', {}, element('b', { class: 'status' }, status), answer.description),
    ...contents(api, answer.content),
    ...headers(api, answer.headers),
  );
}

/**
 * @param {OpenApi} api
 * @param {readonly Response[]} list
 */
function errors(api, list) {
  if (list.length === 0) return [];
  const rows = list.map(({ status, answer }) => {
    const [media] = Object.values(answer.content ?? {});
    const [example] = media ? examplesOf(api, media) : [];
    return [status, answer.description, example ? element('code', {}, exampleText(example[1])) : ''];
  });
  const summary = element(
    'summary',
    {},
    `${counted(list.length, 'error')}: ${list.map(({ status }) => status).join(', ')}`,
  );
  const described = table('Errors', ['Status', 'Meaning', 'Example'], rows, 'figures');
  return [element('details', {}, summary, scrollable('Errors', described, 'group'))];
}

/**
 * @param {OpenApi} api
 * @param {Record<string, any> | undefined} list
 */
function headers(api, list) {
  const rows = Object.entries(list ?? {}).map(([name, value]) => [
    name,
    resolved(api, value).description ?? '',
  ]);
  if (rows.length === 0) return [];
  const described = scrollable('Headers', table('Headers', ['Header', 'Meaning'], rows, 'figures'), 'group');
  return [element('details', {}, element('summary', {}, counted(rows.length, 'header')), described)];
}
