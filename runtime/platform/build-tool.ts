import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { AppError, configError, type ErrorCode, messageOf } from '#contract/errors.ts';
import { platformPackage } from '#contract/platform-package.ts';
import { isHost, PLATFORMS, shortName } from '#contract/platforms.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { isPackage, packageFile } from './program-form.ts';

export interface ToolRun {
  /** Whether the tool prints its progress to stderr. */
  readonly verbose?: boolean | undefined;
  /** Stops the tool, which then removes its temporary files. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a command of the build tool in a process of its own, and returns its JSON result. Rejects with the
 * error that the command reports.
 */
export async function runBuildTool(
  args: readonly string[],
  { verbose = false, signal }: ToolRun = {},
): Promise<unknown> {
  const [file, ...first] = toolCommand();
  const [command = ''] = args;
  const all = [...first, ...args.slice(0, 1), '--json', ...(verbose ? [] : ['--quiet']), ...args.slice(1)];
  const child = spawn(file, all, {
    stdio: ['ignore', 'pipe', verbose ? 'inherit' : 'pipe'],
    windowsHide: true,
    signal,
  });
  const [out, err] = [textOf(child.stdout), textOf(child.stderr)];
  const status = await new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.on('error', (error) => {
      const aborted = signal?.aborted === true;
      reject(aborted ? cancelled(error) : configError(`Cannot start ${file}: ${messageOf(error)}.`, error));
    });
    child.on('close', (code, by) => resolve(by ?? code ?? 1));
  });
  return readResult(command, status, await out, await err);
}

const cancelled = (cause: unknown): AppError =>
  new AppError('CancelledError', 'The build was canceled.', { cause });

/** The executable of the package for this platform, or the source file of the tool when running from source. */
function toolCommand(): [file: string, ...args: string[]] {
  if (!isPackage()) return [process.execPath, fileURLToPath(new URL('../../cli/bin.ts', import.meta.url))];
  const platform = PLATFORMS.find((candidate) => isHost(candidate, process));
  if (!platform) {
    throw configError(
      `encoderfile does not support ${process.platform}-${process.arch}. Supported: ${PLATFORMS.map(shortName).join(', ')}.`,
    );
  }
  const { name, path } = platformPackage('encoderfile', platform);
  try {
    return [createRequire(packageFile('index.cjs')).resolve(`${name}/${path}`)];
  } catch (error) {
    throw configError(
      `The package ${name} is not installed. Install again without --omit=optional or --no-optional, on the platform that runs it.`,
      error,
    );
  }
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

function readResult(command: string, status: number | NodeJS.Signals, out: string, err: string): unknown {
  const result = readJson(out);
  if (status === 0 && result !== undefined) return result;
  const error = isObject(result) ? result['error'] : undefined;
  if (isObject(error)) throw new AppError(codeOf(error['code']), String(error['message']));
  const cause = err.trim().split('\n').at(-1);
  throw new AppError(
    'InternalError',
    `encoderfile ${command} ${typeof status === 'string' ? `was ended by ${status}` : `failed with exit code ${status}`}${cause ? `: ${cause}` : '.'}`,
  );
}

function readJson(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

/** The tool's own code for invalid arguments has no counterpart. */
const codeOf = (code: unknown): ErrorCode =>
  code === 'UsageError' ? 'ConfigError' : (String(code) as ErrorCode);
