import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { installLocked } from '../test/helpers/install-locked.ts';
import { decisionItems, pageText, siteFiles } from './pages.ts';
import { rootPage, versionsOf } from './versions.ts';

// `npm run site`: builds the documentation site into site/dist/<version>, and the list of versions there (docs/decisions/0115).
// `npm run site -- FOLDER` writes to another folder, for example with older versions of the site.

const here = import.meta.dirname;
const { version, homepage } = JSON.parse(readFileSync(join(here, '..', 'package.json'), 'utf8'));
const out = process.argv[2] ?? join(here, 'dist');
const pages = join(here, '.pages');

await installLocked(here, 'the generator of the site');

rmSync(pages, { recursive: true, force: true });
const files = siteFiles();
for (const [place, source] of files) {
  const path = join(pages, place);
  mkdirSync(dirname(path), { recursive: true });
  if (place.endsWith('.md')) writeFileSync(path, pageText(place, files, `${homepage}/{kind}/v${version}`));
  else cpSync(join(here, '..', source), path);
}
cpSync(join(here, 'vitepress'), join(pages, '.vitepress'), { recursive: true });
const groups = JSON.parse(readFileSync(join(here, 'navigation.json'), 'utf8'));
const settings = { version, homepage, groups, decisions: decisionItems() };
writeFileSync(join(pages, '.vitepress', 'settings.json'), JSON.stringify(settings));

const target = join(out, version);
rmSync(target, { recursive: true, force: true });
const generator = join(here, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
execFileSync(process.execPath, [generator, 'build', pages, '--outDir', target], { stdio: 'inherit' });
rmSync(pages, { recursive: true, force: true });

const versions = versionsOf(readdirSync(out));
writeFileSync(join(out, 'versions.json'), JSON.stringify(versions));
writeFileSync(join(out, 'index.html'), rootPage(versions));
console.log(
  `Wrote ${target}. Serve ${out} with any static server, for example \`python3 -m http.server -d ${out}\`.`,
);
