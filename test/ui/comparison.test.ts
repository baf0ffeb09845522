import { describe, expect, it } from '@jest/globals'
import { fetchedApply, pastedApply } from '../../functions/ui/app/views/task/apply-commands.ts'
import { attemptNames } from '../../functions/ui/app/views/task/attempt-name.ts'
import { defaultPair } from '../../functions/ui/app/views/task/compared-pair.ts'
import { compareDiffs } from '../../functions/ui/app/views/task/comparison.ts'
import { isCutOff } from '../../lib/core/changed-files.ts'

const file = (path: string, hunk: string, at = 1) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -${at} +${at} @@\n${hunk}`

describe('the difference of two diffs', () => {
  it.each<[string, string, string, { same: string[]; files: [string, number, number][] }]>([
    ['equal ones', file('a', '-1\n+2\n'), file('a', '-1\n+2\n'), { same: ['a'], files: [] }],
    [
      'the same change at another place',
      file('a', '-1\n+2\n'),
      file('a', '-1\n+2\n', 9),
      { same: ['a'], files: [] },
    ],
    ['another line', file('a', '-1\n+2\n'), file('a', '-1\n+3\n'), { same: [], files: [['a', 1, 1]] }],
    [
      'a line added in one, removed in the other',
      file('a', '+1\n'),
      file('a', '-1\n'),
      { same: [], files: [['a', 1, 1]] },
    ],
    [
      'a file of the first one only',
      file('a', '+1\n') + file('b', '+1\n'),
      file('b', '+1\n'),
      { same: ['b'], files: [['a', 0, 1]] },
    ],
    ['a file of the second one only', '', file('b', '+1\n+2\n'), { same: [], files: [['b', 2, 0]] }],
    ['nothing', '', '', { same: [], files: [] }],
  ])('has of %s the files and lines that differ', (_name, first, second, expected) => {
    const { files, same } = compareDiffs(first, second)
    expect({ same, files: files.map(({ path, added, removed }) => [path, added, removed]) }).toEqual(expected)
  })

  it('has the lines with their signs, and leaves out what is the same but for a few lines around', () => {
    const same = Array.from({ length: 20 }, (_, n) => ` ${n}\n`).join('')
    const { files } = compareDiffs(file('a', `${same}+x\n`), file('a', `${same}+y\n`))
    expect(files[0]?.lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'hunk 17 same lines',
      'same  17',
      'same  18',
      'same  19',
      'removed +x',
      'added +y',
    ])
  })

  it('shows files as wholly different whose differences take too long to find', () => {
    const lines = (word: string) => Array.from({ length: 3_000 }, (_, n) => `+${word} ${n}\n`).join('')
    const { files } = compareDiffs(file('a', lines('x')), file('a', lines('y')))
    expect(files).toMatchObject([{ added: 3_000, removed: 3_000 }])
  })
})

describe('the commands that apply a diff', () => {
  const diff = `${file('a', "-1\n+PATCH\n+it's\n")}Binary files a/my x.png and b/my x.png differ\nBinary files a/y.png and /dev/null differ\n`
  it('leave out binary files, whose content no diff has, and end at a line that the diff has not', () => {
    const excluded = `--exclude='my x.png' --exclude=y.png`
    expect(pastedApply(`${diff}PATCH\n`)).toEqual({
      start: `git apply ${excluded} <<'PATCH_'`,
      whole: `git apply ${excluded} <<'PATCH_'\n${diff}PATCH\nPATCH_\n`,
    })
    expect(fetchedApply('task_1', diff, 'http://127.0.0.1:3000')).toBe(
      `agent-tasks diff task_1 | git apply ${excluded}`,
    )
    expect(fetchedApply('task_1', '', 'https://tasks.example')).toBe(
      'AGENT_TASKS_URL=https://tasks.example agent-tasks diff task_1 | git apply',
    )
  })
  it('are none for a diff that is not whole, and no pasted one for a long diff', () => {
    expect(isCutOff(`${diff}[diff truncated at 200 kB]\n`)).toBe(true)
    expect(isCutOff(`${diff}+[diff truncated at 200 kB]\n`)).toBe(false)
    expect(pastedApply('x'.repeat(70_000))).toBeUndefined()
  })
  it.each(['\r', '\u001b[201~', '\u0000', '\u009b'])(
    'are not pasted with %j, which a terminal acts on',
    (text) => {
      expect(pastedApply(`${file('a', `+x${text}PATCH${text}touch /tmp/x${text}\n`)}`)).toBeUndefined()
    },
  )
})

describe('attempts', () => {
  it('are named by their number, anew after each retry of the dead letter', () => {
    const names = attemptNames([1, 2, 3, 1, 2, 1].map((attempt, at) => ({ id: `${at}`, attempt })))
    expect([...names.values()]).toEqual([
      ...['Attempt 1', 'Attempt 2', 'Attempt 3'],
      ...['Retry 1, attempt 1', 'Retry 1, attempt 2', 'Retry 2, attempt 1'],
    ])
  })

  const attempt = (id: string) => ({ id, taskId: 'me', attemptId: id, name: id })
  const task = (id: string) => ({ id, taskId: id, name: id })
  it.each([
    ['its last two attempts', [task('before'), attempt('1'), attempt('2'), attempt('3')], ['2', '3']],
    ['the turn before it', [task('t1'), task('me'), task('t3')], ['t1', 'me']],
    ['the next turn, of the first one', [task('me'), task('t2')], ['me', 't2']],
    ['what it is a retry of', [task('before'), task('me')], ['before', 'me']],
    ['its retry', [task('me'), task('after')], ['me', 'after']],
  ])('of a task are compared at first with %s', (_name, subjects, pair) => {
    expect(defaultPair(subjects, 'me').map((each) => each?.id)).toEqual(pair)
  })
})
