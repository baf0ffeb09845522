import { spawnSync } from 'node:child_process'
import { expect, it } from '@jest/globals'
import { BranchName } from '../../lib/core/branch-name.ts'

it.each([
  ...[
    'main',
    'fix/a-b',
    'release/2.0',
    'ä',
    'a@b',
    'a{',
    '-',
    '-x',
    '/a',
    'a/',
    'a//b',
    'a..b',
    '.a',
    'a/.b',
  ],
  ...['a.', 'a.lock', 'a.lock/b', 'a.locked', 'a b', 'a~', 'a^', 'a:', 'a?', 'a*', 'a[', 'a\\', 'a@{b', '@'],
  ...['a\u007f', 'a\tb', 'HEAD~1', 'x'.repeat(200)],
])('a branch may be called %j where git says so', (name) => {
  const { status } = spawnSync('git', ['check-ref-format', `refs/heads/${name}`])
  // A name that begins with a dash is one of a ref, yet an option of most commands; @ alone is HEAD.
  const isAllowed = status === 0 && !name.startsWith('-') && name !== '@'
  expect(BranchName.safeParse(name).success).toBe(isAllowed)
})
