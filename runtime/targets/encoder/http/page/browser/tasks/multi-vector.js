/** @import { Task } from './index.js' */
import { reranking } from './reranking.js';

/**
 * Task of a model with one vector per token. Its scores have no maximum, so bars are shares of the best one.
 * @type {Task}
 */
export const multiVector = {
  ...reranking,
  title: 'Late interaction',
  draw: (sent, { results }, ...others) =>
    reranking.draw(sent, { results, greatest: results[0]?.relevance_score }, ...others),
};
