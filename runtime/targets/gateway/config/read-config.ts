import { dirname, resolve } from 'node:path';
import { configError } from '../../../contract/errors.ts';
import type { Environment } from '../../../core/text/expand.ts';
import { createRedactions } from '../../../core/text/redactions.ts';
import type { Finding } from '../../../core/yaml/issue.ts';
import { isBlank, readText, type TextFileOnDisk } from '../../../platform/read-text.ts';
import type { ReloadableConfig } from '../../../serve/program/reloader.ts';
import type { Given } from './given.ts';
import { type ParsedFile, parseFile } from './parse-file.ts';
import type { ResolveContext } from './resolve/context.ts';
import { presetsWithKeys } from './resolve/provider-keys.ts';
import { resolveConfig } from './resolve-config.ts';
import type { GatewayFile } from './schemas/file.ts';
import { literalSecrets } from './literal-secrets.ts';
import type { GatewayConfig } from './spec.ts';

/** A configuration, and what whoever wrote it should hear about it although it works. */
export interface LoadedGatewayConfig extends GatewayConfig, ReloadableConfig {
  /** The file that was read; undefined if there is none. */
  readonly file: string | undefined;
}

const DEFAULT_FILE = 'gateway.yml';

export interface ReadOptions {
  /** Only these settings of the file matter; what is wrong with others is for somebody else to say. */
  readonly only?: readonly string[];
}

/** What commands need that work on the database itself. */
export const STORE_SETTINGS: readonly string[] = ['database_url', 'data_dir'];

/** Reads the configuration; rejects with one ConfigError that names everything wrong with its file. */
export async function readGatewayConfig(
  given: Given,
  env: Environment,
  { only }: ReadOptions = {},
): Promise<LoadedGatewayConfig> {
  const name = given.text('config');
  const file = await readFile(name, given);
  const matters = (setting: string): boolean => only?.includes(setting) ?? true;
  if (!file) {
    const providers = Object.fromEntries(
      presetsWithKeys((variable) => given.variable(variable)).map((preset) => [preset, {}]),
    );
    const findings: Finding[] = [];
    const config = resolveAll(given, { providers }, { folder: '.', findings, matters });
    const serious = seriousOf(findings, matters);
    // What a file would hold was made up above; these are about the environment.
    if (serious.length > 0) throw configError(serious.map(({ message }) => `${message}.`).join('\n'));
    return {
      ...config,
      file: undefined,
      files: [resolve(DEFAULT_FILE)],
      sources: [],
    };
  }
  const parsed = parseFile(file.text, file.path, env);
  const findings = [...parsed.findings];
  const config = resolveAll(given, parsed.value, {
    folder: dirname(resolve(file.path)),
    findings,
    matters,
    written: parsed.written,
  });
  const serious = seriousOf(findings, matters);
  if (serious.length > 0) throw parsed.problems(serious);
  const path = resolve(file.path);
  return {
    ...config,
    file: path,
    files: [path],
    sources: [{ path, isBlank: isBlank(file) }],
    warnings: [...config.warnings, ...sharedWarning(file, parsed)],
  };
}

const seriousOf = (findings: readonly Finding[], matters: ResolveContext['matters']): readonly Finding[] =>
  findings.filter(({ path: [first] }) => first === undefined || matters(first));

/** The file that is asked for must be there; the one that is looked for by default need not be. */
async function readFile(name: string | undefined, given: Given): Promise<TextFileOnDisk | undefined> {
  const file = await readText(name ?? DEFAULT_FILE);
  if (file || name === undefined) return file;
  throw configError(`${given.source('config')}: no such file: ${name}. Check the path, or leave it out.`);
}

interface FileParts {
  readonly folder: string;
  /** Grows. */
  readonly findings: Finding[];
  readonly matters: ResolveContext['matters'];
  readonly written?: unknown;
}

function resolveAll(
  given: Given,
  file: GatewayFile,
  { folder, findings, matters, written = file }: FileParts,
): Omit<LoadedGatewayConfig, 'file' | 'files' | 'sources'> {
  const warnings: string[] = [];
  const secrets = createRedactions();
  const context: ResolveContext = {
    given,
    folder,
    matters,
    secrets,
    report: (path, message, at = 'value') => findings.push({ path, at, message }),
    warn: (message) => warnings.push(message),
  };
  const config = resolveConfig(context, file, written);
  return { ...config, secrets: secrets.all(), warnings };
}

/** Windows says who may read a file in other ways. */
function sharedWarning({ path, mode }: TextFileOnDisk, { value, isExpanded }: ParsedFile): string[] {
  const isShared = process.platform !== 'win32' && (mode & 0o077) !== 0;
  const written = isShared ? literalSecrets(value, isExpanded) : [];
  if (written.length === 0) return [];
  return [
    `${path}: others than its owner may read it, and it holds ${written.join(', ')}. Write \${A_VARIABLE} instead, or \`chmod 600 ${path}\`.`,
  ];
}
