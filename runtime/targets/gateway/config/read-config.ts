import { dirname, resolve } from 'node:path';
import { configError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import type { Environment } from '#core/text/expand.ts';
import { createRedactions } from '#core/text/redactions.ts';
import type { SchemaIssue } from '#core/yaml/issue.ts';
import { isBlank, readText, type TextFileOnDisk } from '#platform/read-text.ts';
import type { ReloadableConfig } from '#serve/program/reloader.ts';
import type { FlagsAndEnv } from './flags-and-env.ts';
import { type ParsedFile, parseFile } from './parse-file.ts';
import type { ResolveContext } from './resolve/context.ts';
import { presetsWithKeys } from './resolve/provider-keys.ts';
import { resolveConfig } from './resolve-config.ts';
import { createWithStored } from './resolve-stored.ts';
import type { GatewayFile } from './schemas/file.ts';
import type { GatewayConfig } from './spec.ts';
import type { WithStored } from './stored-models.ts';

/** A configuration with its file and warnings. */
export interface LoadedGatewayConfig extends GatewayConfig, ReloadableConfig {
  /** The file that was read; undefined without a file. */
  readonly file: string | undefined;
  /** Adds the providers and aliases stored in the database. */
  readonly withStored: WithStored;
}

const DEFAULT_FILE = 'gateway.yml';

export interface ReadOptions {
  /** Names of the settings that are needed. Problems with other settings are ignored. */
  readonly only?: readonly string[];
}

/** Settings that database commands need. */
export const STORE_SETTINGS: readonly string[] = ['database_url', 'data_dir'];

/** Reads the configuration; rejects with one ConfigError that lists all problems in the file. */
export async function readGatewayConfig(
  flagsAndEnv: FlagsAndEnv,
  env: Environment,
  { only }: ReadOptions = {},
): Promise<LoadedGatewayConfig> {
  const name = flagsAndEnv.text('config');
  const file = await readFile(name, flagsAndEnv);
  const isNeeded = (setting: string): boolean => only?.includes(setting) ?? true;
  if (!file) {
    const providers = Object.fromEntries(
      presetsWithKeys((variable) => flagsAndEnv.variable(variable)).map((preset) => [preset, {}]),
    );
    const findings: SchemaIssue[] = [];
    const config = resolveAll(flagsAndEnv, { providers }, { folder: '.', findings, isNeeded });
    const relevant = relevantFindings(findings, isNeeded);
    // Without a file, findings concern the environment, so they have no line or column.
    if (relevant.length > 0) throw configError(relevant.map(({ message }) => `${message}.`).join('\n'));
    return {
      ...config,
      file: undefined,
      files: [resolve(DEFAULT_FILE)],
      sources: [],
    };
  }
  const parsed = parseFile(file.text, file.path, env);
  const findings = [...parsed.findings];
  const config = resolveAll(flagsAndEnv, parsed.value, {
    folder: dirname(resolve(file.path)),
    findings,
    isNeeded,
    written: parsed.written,
  });
  const relevant = relevantFindings(findings, isNeeded);
  if (relevant.length > 0) throw parsed.problems(relevant);
  const path = resolve(file.path);
  return {
    ...config,
    file: path,
    files: [path],
    sources: [{ path, isBlank: isBlank(file) }],
    warnings: [...config.warnings, ...readableSecretsWarning(file, parsed)],
  };
}

const relevantFindings = (
  findings: readonly SchemaIssue[],
  isNeeded: ResolveContext['isNeeded'],
): readonly SchemaIssue[] => findings.filter(({ path: [first] }) => first === undefined || isNeeded(first));

/** Reads the configuration file. A file set explicitly must exist; the default file is optional. */
async function readFile(
  name: string | undefined,
  flagsAndEnv: FlagsAndEnv,
): Promise<TextFileOnDisk | undefined> {
  const file = await readText(name ?? DEFAULT_FILE);
  if (file || name === undefined) return file;
  throw configError(`${flagsAndEnv.source('config')}: ${name} does not exist. Correct the path, or omit it.`);
}

interface FileParts {
  readonly folder: string;
  /** Problems are added to this list. */
  readonly findings: SchemaIssue[];
  readonly isNeeded: ResolveContext['isNeeded'];
  readonly written?: unknown;
}

function resolveAll(
  flagsAndEnv: FlagsAndEnv,
  file: GatewayFile,
  { folder, findings, isNeeded, written = file }: FileParts,
): Omit<LoadedGatewayConfig, 'file' | 'files' | 'sources'> {
  const warnings: string[] = [];
  const secrets = createRedactions();
  const context: ResolveContext = {
    flagsAndEnv,
    folder,
    isNeeded,
    secrets,
    report: (path, message, at = 'value') => findings.push({ path, at, message }),
    warn: (message) => warnings.push(message),
  };
  const config = resolveConfig(context, file, written);
  return {
    ...config,
    secrets: secrets.all(),
    warnings,
    withStored: createWithStored(context, file, config.models),
  };
}

/** Warns if other users can read secrets in the file. On Windows, mode bits do not show that. */
function readableSecretsWarning({ path, mode }: TextFileOnDisk, { value, isExpanded }: ParsedFile): string[] {
  const isReadable = process.platform !== 'win32' && (mode & 0o077) !== 0;
  const secrets = isReadable ? literalSecrets(value, isExpanded) : [];
  if (secrets.length === 0) return [];
  return [
    `${path} contains ${secrets.join(', ')} and is readable by other users. Use a variable (\${NAME}), or run \`chmod 600 ${path}\`.`,
  ];
}

/** Returns the settings that contain a literal secret instead of a variable. */
function literalSecrets(file: GatewayFile, isExpanded: (path: readonly string[]) => boolean): string[] {
  const found: string[] = [];
  const visit = (value: unknown, path: readonly string[]): void => {
    if (isObject(value)) for (const [key, member] of Object.entries(value)) visit(member, [...path, key]);
    const isSecret = /^(api_key|master_key|client_secret|secret_access_key|session_token)$/.test(
      path.at(-1) ?? '',
    );
    if (typeof value === 'string' && isSecret && !isExpanded(path)) found.push(path.join('.'));
  };
  visit(file, []);
  return found;
}
