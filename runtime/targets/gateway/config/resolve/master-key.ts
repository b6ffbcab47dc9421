import { readFileSync } from 'node:fs';
import { configError, messageOf } from '#contract/errors.ts';
import { isSendableKey, SENDABLE_KEY_RULE } from '../../shared/sendable-key.ts';
import { UsageError } from '#serve/cli/command.ts';
import { RECOMMENDED_KEY_LENGTH } from '../defaults.ts';
import { requireSendableKey } from '../require-sendable-key.ts';
import type { FlagsAndEnv } from '../flags-and-env.ts';
import type { GatewayFile } from '../schemas/file.ts';
import { pathIn, type ResolveContext } from './context.ts';
import { sendableKey } from './sendable.ts';

/**
 * Resolves the master key. Precedence: flags, variables, file; each can contain the key itself or the path of
 * a file with the key.
 */
export function resolveMasterKey(context: ResolveContext, file: GatewayFile): string | undefined {
  const { flagsAndEnv, warn, secrets, report } = context;
  // Commands that do not need the key must work even without permission to read its file.
  if (!context.isNeeded('master_key_file')) return undefined;
  const [key, keyFile] = ['master-key', 'master-key-file'];
  if (flagsAndEnv.onCommandLine(key) && flagsAndEnv.onCommandLine(keyFile)) {
    throw new UsageError('--master-key conflicts with --master-key-file; use one of them.');
  }
  if (flagsAndEnv.onCommandLine(key)) {
    warn(
      '--master-key is visible to all users of this machine. Use GATEWAY_MASTER_KEY or --master-key-file instead.',
    );
  }
  if (file.master_key !== undefined && file.master_key_file !== undefined) {
    report(['master_key_file'], 'conflicts with `master_key`; keep one of them', 'key');
  }
  const first = flagsAndEnv.onCommandLine(keyFile) ? undefined : keyFromFlagOrVariable(flagsAndEnv);
  const outside = first === undefined ? flagsAndEnv.text(keyFile) : undefined;
  const found =
    first ??
    (outside === undefined ? undefined : readKey(outside, flagsAndEnv.source(keyFile))) ??
    sendableKey(context, ['master_key'], file.master_key) ??
    (file.master_key_file === undefined
      ? undefined
      : readKey(pathIn(context, file.master_key_file), 'master_key_file'));
  if (found === undefined) return undefined;
  secrets.add(found, ['master_key']);
  if (found.length < RECOMMENDED_KEY_LENGTH) {
    warn(
      `The master key has ${found.length} characters. Use at least ${RECOMMENDED_KEY_LENGTH}, e.g. from \`openssl rand -base64 36\`.`,
    );
  }
  return found;
}

function keyFromFlagOrVariable(flagsAndEnv: FlagsAndEnv): string | undefined {
  const text = flagsAndEnv.text('master-key');
  return text === undefined ? undefined : requireSendableKey(text, flagsAndEnv.source('master-key'));
}

function readKey(path: string, source: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw configError(`${source}: cannot read ${path}: ${messageOf(error)}.`, error);
  }
  if (text === '' || /\s/.test(text))
    throw configError(`${source}: ${path} must contain only the key, on one line.`);
  if (!isSendableKey(text)) throw configError(`${source}: ${path} ${SENDABLE_KEY_RULE}.`);
  return text;
}
