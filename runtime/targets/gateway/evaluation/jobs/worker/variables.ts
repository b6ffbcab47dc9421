/** Environment variables with the gateway's URL and the token of a worker. Command lines would be visible to other users. */
export const JOB_URL_VARIABLE = 'GATEWAY_JOB_URL';
export const JOB_TOKEN_VARIABLE = 'GATEWAY_JOB_TOKEN';
/** Environment variable with the paths of fetched executables, by the job's names of its encoders, as JSON. */
export const JOB_FILES_VARIABLE = 'GATEWAY_JOB_FILES';
