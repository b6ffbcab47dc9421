/** Options for the MLflow export, with the environment variables of MLflow's own client. */
export const MLFLOW_OPTIONS = {
  'mlflow-url': {
    value: 'url',
    help: 'URL of the MLflow server, e.g. http://127.0.0.1:5000',
    env: 'MLFLOW_TRACKING_URI',
  },
  'mlflow-token': {
    value: 'token',
    help: 'Token for the MLflow server. Visible in the process list; prefer the variable',
    env: 'MLFLOW_TRACKING_TOKEN',
  },
} as const;
