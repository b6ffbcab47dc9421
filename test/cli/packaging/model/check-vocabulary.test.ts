import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyModel } from '../../../helpers/models.ts';
import { runCliHere } from '../../../helpers/cli-here.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const PROTEINS = 'L A G V S E R T I D P K Q N F Y M H W C X'.split(' ');
const LOWER = 'a b c d e f g h i j k l m n o p'.split(' ');
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];

/** A protein model, whose vocabulary consists of amino acids in uppercase. */
function writeProteins(words: readonly string[], config?: object): void {
  const model = copyModel('embedder', join(folder(), 'proteins'));
  for (const name of ['tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json'])
    rmSync(join(model, name), { force: true });
  writeFileSync(join(model, 'vocab.txt'), [...SPECIAL, ...words, ''].join('\n'));
  if (config) writeFileSync(join(model, 'tokenizer_config.json'), JSON.stringify(config));
}

const validate = () =>
  runCliHere(['validate', '-q', 'proteins'], { cwd: folder(), env: { XDG_CACHE_HOME: folder() } });

test('a tokenizer that lowercases texts for an uppercase vocabulary is rejected, and the error names the setting', async () => {
  writeProteins(PROTEINS);
  expect(await validate()).toEqual({
    exitCode: 1,
    stdout: '',
    stderr:
      'Error: The tokenizer vocab.txt (BertTokenizer) maps 100% of the words in its own vocabulary to [UNK]. It lowercases texts, but its vocabulary contains uppercase letters. Write `{"do_lower_case": false}` to tokenizer_config.json in the model folder.',
  });
  writeProteins(PROTEINS, { do_lower_case: false });
  expect((await validate()).stderr).not.toContain('vocabulary into');
});

test('a mostly lowercase vocabulary, and one with few words, are accepted', async () => {
  writeProteins([...LOWER, 'A', 'B', 'C']);
  expect((await validate()).stderr).not.toContain('vocabulary into');
  writeProteins(['A', 'B', 'C']);
  expect((await validate()).stderr).not.toContain('vocabulary into');
});
