import { curlSample } from './curl.js';
import { javascriptSample } from './javascript.js';
import { pythonSample } from './python.js';

/**
 * A request to show as code.
 * @typedef {object} Sample
 * @property {string} url
 * @property {string} method
 * @property {unknown} [body] sent as JSON
 * @property {boolean} withKey whether the server requires an API key
 */

/** @type {readonly { name: string, write: (request: Sample) => string }[]} */
export const LANGUAGES = [
  { name: 'curl', write: curlSample },
  { name: 'Python', write: pythonSample },
  { name: 'JavaScript', write: javascriptSample },
];
