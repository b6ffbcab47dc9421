/** @import { Model } from './index.js' */

/** A label of a multi-label model applies if its score reaches this; it is the usual threshold of such models. */
export const THRESHOLD = 0.5;

/**
 * Whether each label has a score of its own, so that none or several apply.
 * @param {Pick<Model, 'score_function'>} model
 */
export const isMultiLabel = ({ score_function }) => score_function === 'sigmoid';
