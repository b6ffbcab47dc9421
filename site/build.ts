import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { installLocked } from '../test/helpers/install-locked.ts';
import { brokenLinks } from './broken-links.ts';
import { decisionItems, pageText, siteFiles } from './pages.ts';
import { NEXT, rootPage, versionsOf } from './versions.ts';

// `npm run site`: builds the documentation site into site/dist/<version>, checks its links, and
// writes the list of versions there (docs/decisions/0115). `npm run site -- FOLDER` writes to
// another folder, for example one with older versions of the site; `--next` writes the main
// branch's version, and `--repository URL` sets the repository that pages link to.

const here = import.meta.dirname;
const { version, homepage } = JSON.parse(readFileSync(join(here, '..', 'package.json'), 'utf8'));
const { values, positionals } = parseArgs({
  options: {
    next: { type: 'boolean', default: false },
    repository: { type: 'string', default: homepage },
  },
  allowPositionals: true,
});
const out = resolve(positionals[0] ?? join(here, 'dist'));
const [name, revision] = values.next ? [NEXT, 'main'] : [version, `v${version}`];
const pages = join(here, '.pages');

await installLocked(here, 'the generator of the site');

rmSync(pages, { recursive: true, force: true });
const files = siteFiles();
for (const [place, source] of files) {
  // VitePress copies files other than pages and pictures unchanged only from `public`.
  const path = join(pages, place.endsWith('.json') ? 'public' : '', place);
  mkdirSync(dirname(path), { recursive: true });
  if (place.endsWith('.md'))
    writeFileSync(path, pageText(place, files, `${values.repository}/{kind}/${revision}`));
  else cpSync(join(here, '..', source), path);
}
cpSync(join(here, 'vitepress'), join(pages, '.vitepress'), { recursive: true });
const groups = JSON.parse(readFileSync(join(here, 'navigation.json'), 'utf8'));
const settings = { version: name, homepage: values.repository, groups, decisions: decisionItems() };
writeFileSync(join(pages, '.vitepress', 'settings.json'), JSON.stringify(settings));

const target = join(out, name);
rmSync(target, { recursive: true, force: true });
const generator = join(here, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
execFileSync(process.execPath, [generator, 'build', pages, '--outDir', target], { stdio: 'inherit' });
rmSync(pages, { recursive: true, force: true });

const broken = brokenLinks(target);
if (broken.length > 0) {
  console.error(`Error: The site has links that lead nowhere:\n${broken.join('\n')}`);
  process.exit(1);
}

const versions = versionsOf(readdirSync(out));
writeFileSync(join(out, 'versions.json'), JSON.stringify(versions));
writeFileSync(join(out, 'index.html'), rootPage(versions));
console.log(
  `Wrote ${target}. Serve ${out} with any static server, for example \`python3 -m http.server -d ${out}\`.`,
);
