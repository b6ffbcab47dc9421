/** @import { Session } from '../session.js' */
/** @type {Promise<any> | undefined} */
let document;

/**
 * A schema of the API by its name, which forms are made from. The document is read once.
 * @param {Session} session
 * @param {string} name
 */
export async function apiSchema(session, name) {
  document ??= session.call('openapi.json').then(({ data }) => data);
  const { components } = await document;
  return { ...components.schemas[name], components };
}
