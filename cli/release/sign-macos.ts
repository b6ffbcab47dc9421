import { execa } from 'execa';
import { configError, messageOf } from '#contract/errors.ts';
import { requireIntactFile } from '#platform/verify-file.ts';

/** Runs a command that signs a macOS executable in place, and checks that the file still contains its data. */
export async function signMacos(command: string, file: string): Promise<void> {
  try {
    await execa(command, [file], { stdio: ['ignore', 'inherit', 'inherit'] });
  } catch (error) {
    throw configError(`${command} cannot sign ${file}: ${messageOf(error).split('\n')[0]}`);
  }
  await requireIntactFile(file);
}
