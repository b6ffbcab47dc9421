/** How a worker is told where to ask, and what lets it in there. Command lines are for all to read; this is not. */
export const JOB_URL_VARIABLE = 'GATEWAY_JOB_URL';
export const JOB_TOKEN_VARIABLE = 'GATEWAY_JOB_TOKEN';
