import { homeFolder } from '../runtime/platform/files/home-folder.ts';

// oclif asks the system for the home folder and the shell, and Node throws for a user id that the system does not know. It asks
// for neither where these are set.
if (homeFolder() === undefined) {
  process.env['HOME'] ??= '';
  process.env['SHELL'] ??= '/bin/sh';
}
const { main } = await import('./main.ts');
process.exitCode = await main(process.argv.slice(2));
