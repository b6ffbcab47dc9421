import { readFileSync } from 'node:fs';
import { configError, messageOf } from '../../../../contract/errors.ts';
import { isSendableKey, SENDABLE_KEY_RULE } from '../../shared/sendable-key.ts';
import { UsageError } from '../../../../serve/cli/command.ts';
import { requireSendableKey } from '../given-key.ts';
import type { Given } from '../given.ts';
import type { GatewayFile } from '../schemas/file.ts';
import { pathIn, type ResolveContext } from './context.ts';
import { sendableKey } from './sendable.ts';

const RECOMMENDED_LENGTH = 32;

/** Flags go before variables, and those before the file; in each of the three the key stands itself, or the name of its file. */
export function resolveMasterKey(context: ResolveContext, file: GatewayFile): string | undefined {
  const { given, warn, secrets, report } = context;
  // Its file may be for the gateway alone to read.
  if (!context.matters('master_key_file')) return undefined;
  const [key, keyFile] = ['master-key', 'master-key-file'];
  if (given.onCommandLine(key) && given.onCommandLine(keyFile)) {
    throw new UsageError('--master-key and --master-key-file say the same; leave out one of them.');
  }
  if (given.onCommandLine(key)) {
    warn(
      '--master-key can be read by all users of this machine; use GATEWAY_MASTER_KEY or --master-key-file.',
    );
  }
  if (file.master_key !== undefined && file.master_key_file !== undefined) {
    report(['master_key_file'], 'says the same as `master_key`; keep one of them', 'key');
  }
  const first = given.onCommandLine(keyFile) ? undefined : keyGiven(given);
  const outside = first === undefined ? given.text(keyFile) : undefined;
  const found =
    first ??
    (outside === undefined ? undefined : readKey(outside, given.source(keyFile))) ??
    sendableKey(context, ['master_key'], file.master_key) ??
    (file.master_key_file === undefined
      ? undefined
      : readKey(pathIn(context, file.master_key_file), 'master_key_file'));
  if (found === undefined) return undefined;
  secrets.add(found, ['master_key']);
  if (found.length < RECOMMENDED_LENGTH) {
    warn(
      `The master key has ${found.length} characters; use at least ${RECOMMENDED_LENGTH}, as of \`openssl rand -base64 36\`.`,
    );
  }
  return found;
}

/** What the flag or the variable says. */
function keyGiven(given: Given): string | undefined {
  const text = given.text('master-key');
  return text === undefined ? undefined : requireSendableKey(text, given.source('master-key'));
}

function readKey(path: string, source: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw configError(`${source}: ${path} cannot be read: ${messageOf(error)}.`, error);
  }
  if (text === '' || /\s/.test(text))
    throw configError(`${source}: ${path} must hold the key, in one line, and nothing else.`);
  if (!isSendableKey(text)) throw configError(`${source}: ${path} ${SENDABLE_KEY_RULE}.`);
  return text;
}
