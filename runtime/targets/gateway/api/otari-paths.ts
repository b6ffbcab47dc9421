import { API } from './http/parts.ts';

/**
 * Resources that are under `/api/v1` in Otari and under `/v1` in this gateway. Other paths under `/api/v1`
 * are used for workflows.
 */
const RESOURCES = [
  ['chat', 'completions', 'messages', 'responses', 'embeddings', 'moderations', 'rerank', 'classify'],
  ['images', 'audio', 'files', 'batches', 'keys', 'users', 'budgets', 'pricing', 'usage'],
].flat();

const OTARI = new RegExp(`^${API}/(?:${RESOURCES.join('|')})(?:/|$)`);

/** Maps the path of a resource for clients of Otari, which is Mozilla's gateway; returns any other path unchanged. */
export const withoutOtariRoot = (path: string): string =>
  OTARI.test(path) ? path.slice('/api'.length) : path;
