import { readFile } from 'node:fs/promises'
import { describe, expect, it } from '@jest/globals'
import { cases } from './cases.ts'
import { columns, markdownTable, tryColumn } from './check.ts'

const expected = (user: (typeof columns)[number][0], means: (typeof columns)[number][1]) =>
  Object.fromEntries(
    cases.map(({ title, sandbox, users = sandbox, none }) => {
      const without = typeof none === 'string' ? none : none[user]
      return [title, { sandbox, users, none: without }[means]]
    }),
  )

describe('a program of an agent', () => {
  it.concurrent.each(columns)('as %s with %s can do what the table says', async (user, means) => {
    const column = await tryColumn(user, means)
    if ('skipped' in column && !(process.env.CI && process.getuid?.() === 0))
      return console.error(`SKIPPED: ${user}, ${means}: ${column.skipped}`)
    expect(column).toEqual({ user, means, answers: expected(user, means) })
  })

  it('is described in docs/operate/sandbox.md by that table', async () => {
    const found = columns.map(([user, means]) => ({ user, means, answers: expected(user, means) }))
    expect(await readFile('docs/operate/sandbox.md', 'utf8')).toContain(markdownTable(found))
  })
})
