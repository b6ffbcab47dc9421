import { expect, test } from 'vitest';
import { copyrightComments } from '#cli/packaging/notices/copyright-comments.ts';

test('finds notices in all comment styles, without comment markers', () => {
  const source = [
    '// Copyright 2008 Google Inc.',
    '//',
    '// All rights reserved.',
    'let a = 1; /*! ws. MIT License. */',
    '/**',
    ' * Copyright (c) A',
    ' *   indented',
    ' */',
    '  // SPDX-License-Identifier: MIT',
    '/* about varints */',
    '// about strings',
  ].join('\r\n');
  expect(copyrightComments(source).sort()).toEqual([
    'Copyright (c) A\n  indented',
    'Copyright 2008 Google Inc.\n\nAll rights reserved.',
    'SPDX-License-Identifier: MIT',
    'ws. MIT License.',
  ]);
});
