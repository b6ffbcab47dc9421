/**
 * Environment variables that programs started by a server inherit: those that programs need in order to run. Other
 * variables can contain secrets.
 */
const INHERITED_VARIABLES = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TEMP',
  'XDG_CACHE_HOME',
  'LOCALAPPDATA',
  'SystemRoot',
  'LANG',
  // Certificates, for example for the OTLP collector to which the process sends spans.
  'NODE_EXTRA_CA_CERTS',
];

export const inheritedEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    INHERITED_VARIABLES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
