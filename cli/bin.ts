import { homeFolder } from '../runtime/platform/files/home-folder.ts';

// oclif reads the home folder and the shell from the system, and Node throws for a user id that the system does not know.
// Setting both variables avoids the lookup.
if (homeFolder() === undefined) {
  process.env['HOME'] ??= '';
  process.env['SHELL'] ??= '/bin/sh';
}
const { main } = await import('./main.ts');
process.exitCode = await main(process.argv.slice(2));
