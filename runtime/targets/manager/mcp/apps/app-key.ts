/** The key of `_meta` with which the relay in an app's page marks the app's calls. */
export const APP_KEY = 'mcp-manager/app';
