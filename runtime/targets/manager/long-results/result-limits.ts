/** Range of a limit for tool results. A smaller result could not contain the statements about what was cut. */
export const RESULT_LIMITS = { min: 4000, max: 2 ** 30 };

export const RESULT_LIMIT_RULE = `a whole number from ${RESULT_LIMITS.min} to ${RESULT_LIMITS.max}, or 0 for no limit`;

/** Whether a key can have this limit; 0 means that its results are not limited. */
export const isResultLimit = (limit: number): boolean =>
  limit === 0 || (Number.isInteger(limit) && limit >= RESULT_LIMITS.min && limit <= RESULT_LIMITS.max);
