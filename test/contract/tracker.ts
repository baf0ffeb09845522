import { describe, expect, it } from '@jest/globals'
import type { ProblemKind } from '../../lib/core/errors.ts'
import type { Asked, CommentDraft, Tracker } from '../../lib/ports/tracker.ts'
import { withOpened } from './test-of.ts'

/** A refusal that comes for a moment only says when it ends. */
export type Refusal = Extract<
  ProblemKind,
  'unauthenticated' | 'forbidden' | 'missing' | 'invalid' | 'rate_limited' | 'unavailable'
>
export const LIMIT_MS = 3_600_000

export type OpenTracker = () => Promise<{
  tracker: Tracker
  asked: Asked
  /** What the issue says: its comments as texts, in the order of their making. */
  issue: { title: string; description: string; said: () => readonly string[] }
  /** Others comment. */
  write: (text: string) => void
  /** The provider forgets all comments. */
  forget: () => void
  /** From now on it refuses everything, in these words; a limit ends after `LIMIT_MS`. */
  refuse: (kind: Refusal, words: string) => void
  /** From now on it answers nothing, or what is no answer to anything. */
  fail: (how: 'silence' | 'nonsense') => void
  close?: () => Promise<unknown>
}>

const draft = (text: string, mark = 'task_1'): CommentDraft => ({
  mark,
  headline: 'Task completed',
  facts: ['1 attempt'],
  text,
  links: [{ label: 'the task', url: 'https://agents.example.com/tasks/task_1' }],
})

/** What every tracker must do. */
export const trackerContract = (name: string, open: OpenTracker) =>
  describe(`the tracker ${name}`, () => {
    const using = (check: (opened: Awaited<ReturnType<OpenTracker>>) => Promise<void>) =>
      withOpened(open, check)()

    it('adds a comment with all that its draft has, and replaces what that says', () =>
      using(async ({ tracker, asked, issue }) => {
        const posted = await tracker.comment(asked, draft('Mended the checkout.'))
        expect(posted).toEqual({ id: expect.any(String), url: expect.stringMatching(/^https:/) })
        expect(issue.said()).toEqual([
          expect.stringMatching(
            /Task completed[\s\S]*1 attempt[\s\S]*tasks\/task_1[\s\S]*Mended the checkout\./,
          ),
        ])
        const edited = await tracker.edit(asked, posted.id, draft('Mended it for good.'))
        expect(edited.id).toBe(posted.id)
        expect(issue.said()).toEqual([expect.stringContaining('Mended it for good.')])
      }))

    it('finds its comment by the mark, among many of others, and none for another mark', () =>
      using(async ({ tracker, asked, issue, write }) => {
        expect(await tracker.find(asked, 'task_1')).toBeUndefined()
        for (let n = 0; n < 60; n++) write(`before ${n}`)
        const { id } = await tracker.comment(asked, draft('Done'))
        const quoted = issue.said().at(-1) ?? ''
        for (let n = 0; n < 60; n++) write(`> ${quoted}`)
        expect(await tracker.find(asked, 'task_1')).toMatchObject({ id })
        expect(await tracker.find(asked, 'task_2')).toBeUndefined()
        expect(await tracker.find(asked, 'task')).toBeUndefined()
      }))

    it('says that a comment is missing which is not there any more', () =>
      using(async ({ tracker, asked, forget }) => {
        const { id } = await tracker.comment(asked, draft('Done'))
        forget()
        await expect(tracker.edit(asked, id, draft('Again'))).rejects.toMatchObject({ kind: 'missing' })
      }))

    it('reads an issue with its newest comments, the oldest of those first', () =>
      using(async ({ tracker, asked, issue, write }) => {
        for (let n = 1; n <= 45; n++) write(`remark ${n}.`)
        const { title, description, comments } = await tracker.read(asked)
        expect({ title, description }).toEqual({ title: issue.title, description: issue.description })
        const numbers = comments.map(({ text }) => Number(/remark (\d+)\./.exec(text)?.[1]))
        expect(numbers.length).toBeGreaterThanOrEqual(5)
        expect(numbers).toEqual(numbers.map((_number, at) => 46 - numbers.length + at))
      }))

    it.each<Refusal>(['unauthenticated', 'forbidden', 'missing', 'invalid', 'rate_limited', 'unavailable'])(
      'throws a Problem of kind %s for what its provider refuses so, in words without the token',
      (kind) =>
        using(async ({ tracker, asked, refuse }) => {
          const { token } = asked.as
          for (const words of [`You sent Bearer ${token}.`, `${'x'.repeat(195)} ${token}`]) {
            refuse(kind, words)
            const thrown = await tracker.comment(asked, draft('Done')).catch((error: unknown) => error)
            expect(thrown).toMatchObject({
              kind,
              ...(kind === 'rate_limited' || kind === 'unavailable' ? { retryAfterMs: LIMIT_MS } : {}),
            })
            const { message, cause } = thrown as Error
            // A beginning of it would show as well where a long text is cut.
            for (const text of [message, String(cause)]) expect(text).not.toContain(token.slice(0, 5))
          }
        }),
    )

    it.each(['silence', 'nonsense'] as const)('is unavailable when its provider answers with %s', (how) =>
      using(async ({ tracker, asked, fail }) => {
        fail(how)
        const hasty = { ...asked, timeoutMs: 300 }
        for (const call of [() => tracker.comment(hasty, draft('Done')), () => tracker.read(hasty)])
          await expect(call()).rejects.toMatchObject({ kind: 'unavailable' })
      }),
    )

    it('refuses an issue whose name is none of its provider', () =>
      using(async ({ tracker, asked }) => {
        for (const id of ['', '../..#1', '"}', 'a b'])
          await expect(tracker.read({ ...asked, issue: { ...asked.issue, id } })).rejects.toMatchObject({
            kind: 'invalid',
          })
      }))
  })
